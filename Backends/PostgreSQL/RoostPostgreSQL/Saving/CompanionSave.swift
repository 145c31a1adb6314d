// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The part of a save that belongs to another store, in another schema of the same database: the transaction of the
/// first store writes it, so that both parts are committed at once.
struct CompanionSave {
  let store: PostgreSQLStore
  let changes: StoreChangeSet
  private let plan: SavePlan
  private let prepared: PreparedSchema

  /// How the part was written.
  enum Outcome {
    /// It is part of the open transaction; these are its recomputed rows.
    case written([Row])
    /// Nothing is written, and the transaction is rolled back.
    case conflicted([StoreConflict])
  }

  init(_ changes: StoreChangeSet, to store: PostgreSQLStore) throws {
    guard !store.isReadOnly else {
      throw PersistenceError(
        .readOnlyStore, "The store was opened for reading only.", store: store.identity.identifier)
    }
    self.store = store
    self.changes = changes
    prepared = try store.prepared()
    plan = try SavePlan(changes, prepared)
  }

  /// Writes the part in the open transaction, or begins one.
  func write(on connection: PostgreSQLConnection) throws -> Outcome {
    do {
      if !connection.isInTransaction { try connection.run(.begin) }
      let namespace = store.pool.settings.namespace
      try changes.requireForeignNumbers(of: store, namespace, connection)
      let changes = try changes.keepingOthers(of: store, namespace, connection)
      let turn = try DerivationTurn(changes, plan, prepared, connection, store: store)
      let run = SaveRun(
        turn, prepared, connection, mark: mark(namespace), store: store, namespace: namespace)
      let refusals = try run.writeUnlessHindered()
      guard refusals.isEmpty else {
        try connection.rollBack()
        try store.checkVersion(connection)
        return .conflicted(try store.conflicts(refusals, prepared, connection))
      }
      try run.send(run.metadata() + run.history() + [run.mark.writing])
      return .written(turn.recomputed)
    } catch {
      if !connection.isBroken { try connection.rollBack() }
      if let error = error as? PostgreSQLError, error.isDivisionByZero || error.isChangedTable {
        try store.checkVersion(connection)
      }
      throw error
    }
  }

  /// The token that shows other processes that the store was written.
  private func mark(_ namespace: PostgreSQLNamespace) -> CommitToken {
    let opened = store.opened
    var mark = SaveRow(namespace).mark(
      in: opened.format, or: opened.later, second: opened.second)
    mark.use(token: store.preparing.companionToken, of: .companion)
    return mark
  }
}
