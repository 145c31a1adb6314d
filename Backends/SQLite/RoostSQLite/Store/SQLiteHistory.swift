// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

/// The history of a ``SQLiteStore``.
struct SQLiteHistory: StoreHistory {
  let store: SQLiteStore

  func position() throws -> StorePosition {
    try reading { connection in
      let chain = try SQLiteHistoryTable.chain(connection)
      return chain.position(after: chain.last)
    }
  }

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    try reading { connection in
      let chain = try SQLiteHistoryTable.chain(connection)
      let start = try start(after: position, of: chain, connection)
      return try SQLiteHistoryTable.transactions(
        after: start, limit: limit, of: chain, connection)
    }
  }

  func transactions(afterTime time: Double, limit: Int?) throws -> [StoreTransaction] {
    try reading { connection in
      let chain = try SQLiteHistoryTable.chain(connection)
      let start = try chain.last(notAfter: time) { try SQLiteHistoryTable.time(of: $0, connection) }
      return try SQLiteHistoryTable.transactions(after: start, limit: limit, of: chain, connection)
    }
  }

  func transactions(afterNumber number: Int64, limit: Int?) throws -> [StoreTransaction] {
    try reading { connection in
      try SQLiteHistoryTable.transactions(
        after: number, limit: limit, of: try SQLiteHistoryTable.chain(connection), connection)
    }
  }

  func step(after position: StorePosition?) throws -> HistoryStep? {
    try reading { connection in
      let chain = try SQLiteHistoryTable.chain(connection)
      let start = try start(after: position, of: chain, connection)
      return try SQLiteHistoryTable.next(after: start, connection).map {
        HistoryStep(number: $0.number, position: chain.position(after: $0))
      }
    }
  }

  func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize {
    try writing { connection in
      let chain = try SQLiteHistoryTable.chain(connection)
      guard chain.isOf(deletion.generation) else { return .outdated }
      var (number, time) = (Int64.max, Double.infinity)
      switch deletion.bound {
      case .position(let position): number = try start(after: position, of: chain, connection)
      case .time(let moment): time = moment
      }
      for reader in deletion.readers {
        guard let start = try? start(after: reader, of: chain, connection) else { continue }
        number = min(number, start + 1)
      }
      var removed = HistorySize()
      let end = try SQLiteHistoryTable.last(before: number, time, connection) { bytes in
        guard deletion.takesMore(than: removed) else { return false }
        removed.add(bytes: bytes)
        return true
      }
      if let end {
        try SQLiteHistoryTable.remove(upTo: end, connection)
        removed.generation = end.number
      }
      return removed
    }
  }

  func size() throws -> HistorySize { try size(since: nil) }

  func size(since known: HistorySize?) throws -> HistorySize {
    try reading { connection in
      try SQLiteHistoryTable.chain(connection).size(
        since: known, digest: { try SQLiteHistoryTable.digest(of: $0, connection) },
        adding: { try SQLiteHistoryTable.add(after: $0, to: &$1, connection) })
    }
  }

  func bookmarks() throws -> HistoryBookmarks {
    try reading(SQLiteHistoryTable.bookmarks)
  }

  func changeBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws {
    try writing { connection in
      let known = try SQLiteHistoryTable.bookmarks(connection)
      var changed = known
      try change(&changed)
      if changed != known { try SQLiteHistoryTable.write(changed, connection) }
    }
  }

  /// Runs a transaction that writes no history.
  private func writing<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try store.translating {
      guard !store.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      return try store.pool.write(store.cancellation) { connection in
        try connection.writing {
          try store.pool.checkVersion(connection)
          return try body(connection)
        }
      }
    }
  }

  private func start(
    after position: StorePosition?, of chain: HistoryChain, _ connection: SQLiteConnection
  ) throws -> Int64 {
    try chain.start(after: position, store: store.identity.identifier) {
      try SQLiteHistoryTable.digest(of: $0, connection)
    }
  }

  /// Reads one snapshot of the file.
  private func reading<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    try store.translating {
      try store.pool.read(store.cancellation) { connection in
        try connection.reading { try body(connection) }
      }
    }
  }
}

extension SQLiteStore {
  package var history: (any StoreHistory)? {
    metadata.keepsHistory ? SQLiteHistory(store: self) : nil
  }
}
