// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
import RoostSQL
package import RoostStore

extension SQLiteStore {
  /// Writes all changes or none, in one transaction that ends by synchronising the log.
  package func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    let prepared = try prepared()
    return try translating {
      guard !isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      let outcome = try commitInTurn(changes, prepared)
      if case .committed = outcome { setMetadata(changes.metadata(after:)) }
      return outcome
    }
  }

  /// Writes a save in the open transaction, and commits it or rolls it back.
  func commitAlone(
    _ changes: StoreChangeSet, _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> CommitOutcome {
    let writer: ChangeWriter
    let receipt: CommitReceipt
    do {
      (writer, receipt) = try connection.interruptible {
        let applied = try apply(changes, prepared, connection)
        if applied.0.isUnopposed { try prepared.indexWords(connection) }
        return applied
      }
      if writer.isUnopposed { try requireNoOverlap(of: changes, prepared, connection) }
      try connection.waiting.cancellation.check()
    } catch {
      connection.rollBack()
      throw error
    }
    guard writer.isUnopposed else {
      connection.rollBack()
      return .conflicted(try conflicts(of: writer, prepared, connection))
    }
    try connection.commitTransaction()
    return .committed(receipt)
  }

  /// Writes the changes of a save, as far as there are no conflicts.
  ///
  /// - Returns: The writer, which knows the conflicts, and the receipt of a save without conflicts.
  func apply(
    _ changes: StoreChangeSet, _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> (ChangeWriter, CommitReceipt) {
    try requireForeignNumbers(of: changes, connection)
    var writer = ChangeWriter(prepared, connection, log: description.log)
    let source = TransactionRecords(store: self, prepared: prepared, connection: connection)
    let derived = try changes.deriving(prepared.derivations, from: source)
    let metadata = self.metadata
    // Previous values are read before they are overwritten.
    let noted =
      metadata.keepsPreviousValues
      ? try derived.changes.notingPrevious(of: prepared.mapping.store, from: source)
      : derived.changes
    try writer.write(noted)
    if changes.hasMetadata, writer.isUnopposed,
      let new = changes.metadata(over: try SQLiteFile.metadata(connection), known: metadata)
    {
      try SQLiteFile.writeMetadata(new, connection)
      if new.keepsModel == true, new.entityVersionHashes != metadata.entityVersionHashes {
        try SQLiteFile.writeModelText(
          of: prepared.mapping.store, checksum: new.versionChecksum, connection)
      }
    }
    var receipt = CommitReceipt(recomputed: derived.recomputed)
    if metadata.keepsHistory, writer.isUnopposed {
      receipt.position = try SQLiteHistoryTable.add(
        noted, of: prepared.mapping.store, epoch: prepared.historyEpoch, log: description.log,
        connection)
    }
    return (writer, receipt)
  }

  /// The conflicts of a save that was rolled back.
  func conflicts(
    of writer: ChangeWriter, _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> [StoreConflict] {
    try conflicts(writer.refusals, prepared, connection)
      + conflicts(among: writer.doubtful, prepared, connection)
  }

  /// Reads the current state of conflicting records, after the rollback, so that nothing of this commit is visible.
  private func conflicts(
    _ refusals: [ChangeRefusal], _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> [StoreConflict] {
    try connection.reading {
      try refusals.map { refusal in
        switch refusal {
        case .version(let key, let expected):
          let current = try rows([key], prepared, connection).first
          return .version(key: key, expected: expected, current: current)
        case .uniqueness(let constraint, let key, let holder, let sent):
          let stored = try rows([holder], prepared, connection).first
          return .uniqueness(
            constraint: constraint.properties, entityName: constraint.entityName, key: key,
            existing: stored ?? sent)
        }
      }
    }
  }
}

extension SQLiteStore {
  /// Finds the records whose version has changed, among records of which at least one's has.
  private func conflicts(
    among records: [RowVersion], _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws -> [StoreConflict] {
    guard !records.isEmpty else { return [] }
    return try connection.reading {
      var current: [Int64: Row] = [:]
      for row in try rows(records.map(\.key), prepared, connection) { current[row.key] = row }
      return records.filter { current[$0.key]?.version != $0.version }.map { record in
        .version(key: record.key, expected: record.version, current: current[record.key])
      }
    }
  }
}

/// The source of values for derived attributes: the records as the open transaction sees them.
struct TransactionRecords: DerivationSource {
  let store: SQLiteStore
  let prepared: PreparedSchema
  let connection: SQLiteConnection

  func rows(forKeys keys: [Int64]) throws -> [Row] {
    try store.rows(keys, prepared, connection)
  }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    try store.destinations(of: relationship, sources, prepared, connection)
  }
}
