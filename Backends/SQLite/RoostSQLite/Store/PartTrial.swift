// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// Writes a part of a save over several stores and takes it back, so that the engine checks versions and constraints.
///
/// The transaction is rolled back whole and begun again: after a mere rollback to a savepoint, SQLite would log the
/// pages as if they had changed.
struct PartTrial {
  private let store: SQLiteStore
  private let prepared: PreparedSchema
  private let connection: SQLiteConnection

  /// The number of attempts, when other processes write before the transaction has begun again.
  private static let attempts = 2

  init(_ store: SQLiteStore, _ prepared: PreparedSchema, _ connection: SQLiteConnection) {
    self.store = store
    self.prepared = prepared
    self.connection = connection
  }

  /// Tries a part in the open transaction. Afterwards a transaction is open in which nothing is written, and the
  /// result holds for it.
  func run(_ changes: StoreChangeSet) throws -> (writer: ChangeWriter, receipt: CommitReceipt) {
    for _ in 0..<Self.attempts {
      let version = try connection.number("PRAGMA data_version")
      let result = try write(changes)
      try connection.beginAgain()
      if try connection.number("PRAGMA data_version") == version { return result }
      try store.pool.checkVersion(connection)
    }
    try connection.run("SAVEPOINT save")
    let result = try write(changes)
    try store.undo(connection)
    return result
  }

  private func write(
    _ changes: StoreChangeSet
  ) throws -> (writer: ChangeWriter, receipt: CommitReceipt) {
    let (writer, receipt) = try store.apply(changes, prepared, connection)
    if writer.isUnopposed { try store.requireNoOverlap(of: changes, prepared, connection) }
    return (writer, receipt)
  }
}
