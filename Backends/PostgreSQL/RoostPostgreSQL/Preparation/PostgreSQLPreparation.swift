// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

/// Two-phase commit of a store, in saves over several stores.
///
/// A part is a prepared transaction: its records stay locked until it is finished, so no other save overtakes it, and
/// it is invisible until then. A server that decides keeps nothing prepared.
package struct PostgreSQLPreparation: StorePreparation {
  let store: PostgreSQLStore

  var namespace: PostgreSQLNamespace { store.pool.settings.namespace }
  private var prefix: String { PreparedTransaction.prefix(of: store.identity) }

  // MARK: - Parts

  /// Whether the server's setting `max_prepared_transactions` allows it; its default, 0, does not.
  package func canPrepare() throws -> Bool {
    if let known = store.preparing.canPrepare { return known }
    let setting = try translating {
      try store.withReading { try $0.run(.once("SHOW max_prepared_transactions")).text() }
    }
    let canPrepare = setting != "0"
    store.preparing.canPrepare = canPrepare
    return canPrepare
  }

  package func requirePreparing() throws {
    guard try !canPrepare() else { return }
    throw Self.refusal()
  }

  package func prepare(
    _ changes: StoreChangeSet, for save: SaveTicket
  ) throws -> PreparationOutcome {
    let part = PreparedPart(ticket: save, keys: changes.touchedKeys)
    let transaction = PreparedTransaction(save.id, of: store.identity)
    return try translating {
      try store.noticingPreparedParts(changes) {
        try makeTables()
        try store.withConnection { connection in
          _ = try connection.run(namespace.adding(part)).get()
        }
        do {
          let ending = SaveEnding(preparation: transaction)
          switch try SaveWriter(changes, to: store, ending: ending).run() {
          case .written(let recomputed):
            let rows = recomputed.first ?? []
            store.preparing.add(.init(changes: changes, recomputed: rows), save.id)
            return .prepared(CommitReceipt(recomputed: rows))
          case .conflicted(_, let conflicts):
            try remove(save.id, keepsRow: false)
            return .conflicted(conflicts)
          }
        } catch let error as PersistenceError where error.code == .commitOutcomeUnknown {
          // The transaction may be prepared: the row that describes it stays.
          throw error
        } catch {
          // A server that has only stalled may still prepare it: the row, if there is one, prevents that.
          try? remove(save.id, keepsRow: true)
          throw (error as? PostgreSQLError).flatMap(Self.refusal(_:)) ?? error
        }
      }
    }
  }

  /// The error for a server that cannot prepare transactions; nil for any other error.
  private static func refusal(_ error: PostgreSQLError) -> PersistenceError? {
    error.refusesPreparing ? refusal(because: error) : nil
  }

  private static func refusal(because error: PostgreSQLError? = nil) -> PersistenceError {
    PersistenceError(
      .persistentStoreSave,
      "A save over several servers needs prepared transactions, and the server of this store has none to give: raise "
        + "its setting max_prepared_transactions to the number of savers, and restart it.",
      underlying: error)
  }

  package func finish(_ save: SaveID, committing: Bool) throws -> CommitReceipt? {
    let transaction = PreparedTransaction(save, of: store.identity)
    return try translating {
      let isFinished = try finish(transaction, committing: committing)
      if !isFinished, !committing { try shutOut(transaction) }
      try remove(save, keepsRow: !isFinished && !committing)
      let prepared = store.preparing.take(save)
      if isFinished, !committing, prepared == nil { store.preparing.patience.partWasEnded() }
      guard isFinished, committing else { return nil }
      if let prepared {
        store.noteCommit(of: prepared.changes)
      } else {
        // The part of another program may have changed anything.
        let stored = try store.withConnection { try namespace.metadata($0) }
        store.setMetadata { _ in stored }
        store.hints?.noteCommit(keepsHistory: store.metadata.keepsHistory)
      }
      return CommitReceipt(recomputed: prepared?.recomputed ?? [])
    }
  }

  /// Ends a prepared transaction.
  ///
  /// - Returns: False when there is none.
  private func finish(_ transaction: PreparedTransaction, committing: Bool) throws -> Bool {
    let verb = committing ? "COMMIT" : "ROLLBACK"
    var hasLostConnection = false
    let deadline = Deadline(after: store.pool.timeout)
    while true {
      do {
        try store.pool.withConnection(store.cancellation) { connection in
          _ = try connection.committing {
            try $0.run(.once("\(verb) PREPARED \(transaction.literal)"))
          }
          guard !connection.hasWarned else {
            throw PersistenceError(
              .commitOutcomeUnknown,
              "The save was interrupted while the server waited for its standbys.")
          }
        }
        return true
      } catch let error as PostgreSQLError where error.isUnknownTransaction {
        // This very request may have committed it, before its connection was lost.
        return committing && hasLostConnection
      } catch let error as PostgreSQLError where error.isTransactionBusy {
        guard deadline.remaining > 0.1 else { throw error }
        Thread.sleep(forTimeInterval: 0.005)
      } catch let error as PostgreSQLError where error.kind == .lost && !hasLostConnection {
        store.pool.invalidate()
        hasLostConnection = true
      }
    }
  }

  /// Ensures that a transaction that is not prepared never will be, and rolls back one that a slow server has prepared
  /// after all.
  private func shutOut(_ transaction: PreparedTransaction) throws {
    guard let fate = fate(of: transaction, within: min(store.pool.timeout, 10)) else {
      throw PersistenceError(
        .commitOutcomeUnknown, "The server cannot be asked whether it has prepared the save.")
    }
    if fate == .committed { _ = try finish(transaction, committing: false) }
  }

  /// Whether a transaction is prepared; if not, it never will be. Nil when that is not known yet.
  private func fate(
    of transaction: PreparedTransaction, within seconds: Double
  ) -> PostgreSQLStore.Fate? {
    let opened = store.opened
    var mark = SaveRow(namespace).mark(in: opened.format, or: opened.later, second: opened.second)
    mark.use(token: transaction.save.uuid, of: .preparedSave)
    return transaction.fate(of: mark, in: store, Deadline(after: seconds))
  }

  /// Removes the record of a part, and shows other processes that the store was written.
  private func remove(_ save: SaveID, keepsRow: Bool) throws {
    try store.withConnection { connection in
      let opened = store.opened
      let mark = connection.saveRow.mark(
        in: opened.format, or: opened.later, second: opened.second)
      let time = ContinuousClock.now
      let commands = try namespace.removingPart(save, keepsRow: keepsRow)
      let results = try connection.runWriting(commands + [mark.writing])
      connection.saveRow.note(results.last, since: time)
    }
  }

  package func pending() throws -> [PreparedPart] {
    try translating {
      try unlessMissing([]) {
        // Both in one round trip: each acknowledgement to a decider needs this query.
        let commands = [
          try namespace.readingParts(named: prefix), try namespace.readingLeftSaves(named: prefix),
        ]
        let results = try store.withReading { try $0.runOnSnapshot(commands) }
        let left = leftSaves(results[1])
        guard !left.isEmpty else { return try parts(results[0]) }
        for save in left { try forgetLeft(save) }
        return try parts()
      }
    }
  }

  package func visibleParts() throws -> [PreparedPart] {
    try translating {
      // Checks for the table first: an error would be in the server's log with each read.
      guard try store.preparing.seesTables || hasTable() else { return [] }
      store.preparing.seesTables = true
      return try unlessMissing([]) { try parts() }
    }
  }

  private func hasTable() throws -> Bool {
    let name = PostgreSQLNamespace.literal(namespace.preparedTable)
    return try store.withReading {
      try $0.run(.once("SELECT pg_catalog.to_regclass(\(name)) IS NOT NULL")).isTrue()
    }
  }

  private func parts() throws -> [PreparedPart] {
    let result = try store.withReading {
      try $0.run(try namespace.readingParts(named: prefix))
    }
    return try parts(result)
  }

  private func parts(_ result: PostgreSQLResult) throws -> [PreparedPart] {
    try (0..<result.count).map { try PreparedPart(bytes: result.data($0)) }
  }

  /// The saves of programs that were killed before their transaction was prepared.
  private func leftSaves(_ result: PostgreSQLResult) -> [SaveID] {
    guard !store.isReadOnly else { return [] }
    return (0..<result.count).compactMap {
      result.text($0, 0).flatMap(UUID.init).map { SaveID($0) }
    }
  }

  /// Deletes the record of a part whose prepare was abandoned. A part that is being prepared, or was prepared
  /// meanwhile, stays: only its own save or a recovery ends it.
  private func forgetLeft(_ save: SaveID) throws {
    let transaction = PreparedTransaction(save, of: store.identity)
    guard fate(of: transaction, within: 0.5) == .rolledBack else { return }
    try remove(save, keepsRow: true)
  }

  // MARK: - Tables

  /// Creates missing tables. Concurrent callers wait for each other.
  func makeTables() throws {
    guard !store.preparing.hasTables else { return }
    guard !store.isReadOnly else {
      throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
    }
    try store.withConnection { connection in
      _ = try connection.runWriting(
        [try namespace.makingLock()] + namespace.makingPreparation
          + [namespace.raisingFormat])
    }
    store.preparing.hasTables = true
  }

  /// Runs `body`; returns `none` without the tables, since then there was never a save over several stores.
  func unlessMissing<Result>(_ none: Result, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError where error.isMissingTable {
      return none
    }
  }

  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    try store.translating(body)
  }
}

extension PostgreSQLStore {
  package var preparation: (any StorePreparation)? { PostgreSQLPreparation(store: self) }
}
