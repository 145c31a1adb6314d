// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

/// The history of a ``KeyValueStore``.
struct KeyValueHistory: StoreHistory {
  let store: KeyValueStore

  func position() throws -> StorePosition {
    try reading { history, snapshot in
      let chain = try history.chain(in: snapshot)
      return chain.position(after: chain.last)
    }
  }

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    try reading { history, snapshot in
      let chain = try history.chain(in: snapshot)
      let start = try start(after: position, of: chain, history, snapshot)
      return try transactions(after: start, limit: limit, of: chain, history, snapshot)
    }
  }

  func transactions(afterTime time: Double, limit: Int?) throws -> [StoreTransaction] {
    try reading { history, snapshot in
      let chain = try history.chain(in: snapshot)
      let start = try chain.last(notAfter: time) { try history.time(of: $0, in: snapshot) }
      return try transactions(after: start, limit: limit, of: chain, history, snapshot)
    }
  }

  func transactions(afterNumber number: Int64, limit: Int?) throws -> [StoreTransaction] {
    try reading { history, snapshot in
      let chain = try history.chain(in: snapshot)
      return try transactions(
        after: max(number, chain.floor.number), limit: limit, of: chain, history, snapshot)
    }
  }

  func step(after position: StorePosition?) throws -> HistoryStep? {
    try reading { history, snapshot in
      let chain = try history.chain(in: snapshot)
      let start = try start(after: position, of: chain, history, snapshot)
      var step: HistoryStep?
      try history.scan(after: start, in: snapshot) { entry in
        step = HistoryStep(number: entry.link.number, position: chain.position(after: entry.link))
        return false
      }
      return step
    }
  }

  private func transactions(
    after start: Int64, limit: Int?, of chain: HistoryChain, _ history: HistoryTable,
    _ snapshot: any KeyValueSnapshot
  ) throws -> [StoreTransaction] {
    var result: [StoreTransaction] = []
    guard limit != 0 else { return result }
    try history.scan(after: start, in: snapshot) { entry in
      result.append(
        StoreTransaction(
          number: entry.link.number, timestamp: entry.link.timestamp,
          content: try HistoryContent(bytes: entry.content, ofTransaction: entry.link.number),
          position: chain.position(after: entry.link)))
      return result.count != limit
    }
    return result
  }

  func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize {
    try writing { history, snapshot, batch in
      let chain = try history.chain(in: snapshot)
      guard chain.isOf(deletion.generation) else { return .outdated }
      var number = Int64.max
      var time = Double.infinity
      switch deletion.bound {
      case .position(let position):
        number = try start(after: position, of: chain, history, snapshot)
      case .time(let moment): time = moment
      }
      for reader in deletion.readers {
        guard let start = try? start(after: reader, of: chain, history, snapshot) else { continue }
        number = min(number, start + 1)
      }
      var last: HistoryLink?
      var removed = HistorySize()
      try history.scan(after: chain.floor.number, in: snapshot) { entry in
        guard entry.link.number < number, entry.link.timestamp < time,
          deletion.takesMore(than: removed)
        else { return false }
        last = entry.link
        removed.add(bytes: entry.byteCount)
        return true
      }
      if let last {
        history.remove(upTo: last, chain, &batch)
        removed.generation = last.number
      }
      return removed
    }
  }

  func size() throws -> HistorySize { try size(since: nil) }

  func size(since known: HistorySize?) throws -> HistorySize {
    try reading { history, snapshot in
      try history.chain(in: snapshot).size(
        since: known, digest: { try history.digest(of: $0, in: snapshot) },
        adding: { number, size in
          try history.scan(after: number, in: snapshot) { entry in
            size.add(bytes: entry.byteCount)
            return true
          }
        })
    }
  }

  func bookmarks() throws -> HistoryBookmarks {
    try reading { _, snapshot in try HistoryTable.bookmarks(in: snapshot) }
  }

  func changeBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws {
    try writing { _, snapshot, batch in
      let known = try HistoryTable.bookmarks(in: snapshot)
      var changed = known
      try change(&changed)
      if changed != known { HistoryTable.write(changed, to: &batch) }
    }
  }

  /// Writes data that is not a transaction of the history.
  private func writing<Result>(
    _ body: (HistoryTable, any KeyValueSnapshot, inout WriteBatch) throws -> Result
  ) throws -> Result {
    let schema = try store.preparedSchema()
    guard let history = schema.history else { throw noHistory }
    try store.requireWritable("keeps its history")
    return try store.engine.writing(store.cancellation) { snapshot, batch in
      try schema.check(snapshot)
      return try body(history, snapshot, &batch)
    }
  }

  private var noHistory: PersistenceError {
    PersistenceError(
      .persistentStoreUnsupportedRequestType, "The store keeps no history.",
      store: store.identity.identifier)
  }

  private func start(
    after position: StorePosition?, of chain: HistoryChain, _ history: HistoryTable,
    _ snapshot: any KeyValueSnapshot
  ) throws -> Int64 {
    try chain.start(after: position, store: store.identity.identifier) {
      try history.digest(of: $0, in: snapshot)
    }
  }

  private func reading<Result>(
    _ body: (HistoryTable, any KeyValueSnapshot) throws -> Result
  ) throws -> Result {
    let schema = try store.preparedSchema()
    guard let history = schema.history else { throw noHistory }
    return try store.engine.reading { snapshot in
      try schema.check(snapshot)
      return try body(history, snapshot)
    }
  }
}

extension KeyValueStore {
  /// The history of the store; nil when it keeps none.
  public var history: (any StoreHistory)? {
    metadata.keepsHistory ? KeyValueHistory(store: self) : nil
  }
}
