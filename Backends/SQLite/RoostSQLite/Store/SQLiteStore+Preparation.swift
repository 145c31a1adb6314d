// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel
import RoostSQL
package import RoostStore

// Each operation is a transaction that ends with a synchronised log. A part is written and rolled back first, so that
// the engine itself checks versions and constraints; only the row with the part's bytes remains (X10).
extension SQLiteStore: StorePreparation {
  package var preparation: (any StorePreparation)? { self }

  /// Whether prepared parts survive the end of the process.
  package var keepsParts: Bool { pool.location != .memory }

  package func prepare(
    _ changes: StoreChangeSet, for save: SaveTicket
  ) throws -> PreparationOutcome {
    let prepared = try prepared()
    let bytes = try PreparedChanges.bytes(of: changes.basedOn(metadata), prepared.mapping.store)
    let part = PreparedPart(ticket: save, keys: changes.touchedKeys)
    return try writingParts { connection in
      let (writer, receipt) = try PartTrial(self, prepared, connection).run(changes)
      guard writer.isUnopposed else {
        return .conflicted(try conflicts(of: writer, prepared, connection))
      }
      try PreparedTables.add(part, bytes, connection)
      // The history entry is only known when the part is finished.
      return .prepared(CommitReceipt(recomputed: receipt.recomputed))
    }
  }

  /// Others rely on a part being finished: where another process has done it, which may have been killed before it
  /// flushed the log, that is made durable before it is returned.
  package func finish(_ save: SaveID, committing: Bool) throws -> CommitReceipt? {
    let prepared = committing ? try prepared() : nil
    var written: StoreChangeSet?
    var isGone = false
    let receipt: CommitReceipt? = try writingParts { connection in
      guard let bytes = try PreparedTables.changes(of: save, connection) else {
        isGone = true
        return nil
      }
      try PreparedTables.remove(save, connection)
      guard let prepared else { return nil }
      let changes = try PreparedChanges.changes(in: bytes, prepared.mapping.store)
      let (writer, receipt) = try apply(changes, prepared, connection)
      guard writer.isUnopposed else { throw PreparedPart.overtaken(in: identity.identifier) }
      try prepared.indexWords(connection)
      written = changes
      return receipt
    }
    if isGone { try pool.flushLog() }
    if let written { setMetadata(written.metadata(after:)) }
    return receipt
  }

  package func decide(
    _ changes: StoreChangeSet, for save: SaveTicket, forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> DecisionOutcome {
    let prepared = try prepared()
    let outcome: DecisionOutcome = try writingParts { connection in
      guard try PreparedTables.isRegistered(save.coordinator, connection) else { return .refused }
      try connection.run("SAVEPOINT save")
      let (writer, receipt) = try apply(changes, prepared, connection)
      guard writer.isUnopposed else {
        try undo(connection)
        return .conflicted(try conflicts(of: writer, prepared, connection))
      }
      try requireNoOverlap(of: changes, prepared, connection)
      try prepared.indexWords(connection)
      try PreparedTables.add(
        RememberedDecision(ticket: save, unacknowledged: save.participants), connection)
      try PreparedTables.forget(acknowledged, connection)
      try connection.run("RELEASE save")
      return .committed(receipt)
    }
    if case .committed = outcome { setMetadata(changes.metadata(after:)) }
    return outcome
  }

  /// Other stores finish a save that is committed, so the decision is made durable before it is returned: a process
  /// that was killed after writing it may not have flushed the log, from which the next one recovered it.
  package func decision(
    on save: SaveTicket, for participant: String, aborting: Bool
  ) throws -> Decision {
    func stored() throws -> Decision {
      guard aborting, !isReadOnly else {
        return try readingParts {
          try PreparedTables.decision(on: save, for: participant, $0)
        }
      }
      return try writingParts { connection in
        let decision = try PreparedTables.decision(on: save, for: participant, connection)
        guard decision == .none || decision == .forgotten else { return decision }
        try PreparedTables.end(save.coordinator, connection)
        return decision == .none ? .aborted : decision
      }
    }
    let decision = try stored()
    if decision == .committed { try pool.flushLog() }
    return decision
  }

  package func pending() throws -> [PreparedPart] {
    try readingParts(PreparedTables.parts)
  }

  package func register(_ coordinator: UUID) throws {
    try writingParts { try PreparedTables.register(coordinator, $0) }
  }

  package func unregister(_ coordinator: UUID) throws {
    try writingParts { try PreparedTables.unregister(coordinator, $0) }
  }

  package func forget(_ acknowledged: [SaveAcknowledgement]) throws {
    guard !acknowledged.isEmpty else { return }
    try writingParts { try PreparedTables.forget(acknowledged, $0) }
  }

  package func decisions() throws -> [RememberedDecision] {
    try readingParts(PreparedTables.decisions)
  }

  // MARK: - Conflicts with prepared parts

  /// Refuses a save that conflicts with a prepared part, in the save's own transaction: a save that writes a record of
  /// the part, or metadata as the part does, or after which unique values would prevent the part from being written.
  ///
  /// - Throws: `saveInDoubt`.
  func requireNoOverlap(
    of changes: StoreChangeSet, _ prepared: PreparedSchema, _ connection: SQLiteConnection
  ) throws {
    guard try !PreparedTables.isEmpty(connection) else { return }
    let keys = Set(changes.touchedKeys)
    for part in try PreparedTables.parts(connection) {
      guard
        try part.touches(keys)
          || standsInTheWay(of: part, changes.metadata != nil, prepared, connection)
      else { continue }
      throw part.inDoubt(in: identity.identifier)
    }
  }

  private func standsInTheWay(
    of part: PreparedPart, _ writesMetadata: Bool, _ prepared: PreparedSchema,
    _ connection: SQLiteConnection
  ) throws -> Bool {
    let schema = prepared.mapping.store
    let hasUniqueValues = schema.entities.contains { !$0.uniquenessConstraints.isEmpty }
    guard writesMetadata || hasUniqueValues,
      let bytes = try PreparedTables.changes(of: part.ticket.id, connection)
    else { return false }
    let changes = try PreparedChanges.changes(in: bytes, schema)
    if writesMetadata, changes.metadata != nil { return true }
    guard hasUniqueValues else { return false }
    try connection.run("SAVEPOINT part")
    var writer = ChangeWriter(prepared, connection, log: description.log)
    // Unique values can be derived ones, which the part does not have yet.
    let source = TransactionRecords(store: self, prepared: prepared, connection: connection)
    try writer.write(changes.deriving(prepared.derivations, from: source).changes)
    try connection.run("ROLLBACK TO part")
    try connection.run("RELEASE part")
    return !writer.isUnopposed
  }

  // MARK: - Transactions

  private func writingParts<Result>(
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try translating {
      guard !isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      return try pool.write(cancellation) { connection in
        do {
          return try connection.writing {
            try pool.checkVersion(connection)
            return try body(connection)
          }
        } catch {
          // Tables that were created are gone with the transaction.
          connection.keepsPrepared = false
          throw error
        }
      }
    }
  }

  private func readingParts<Result>(
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try translating {
      try pool.read(cancellation) { connection in
        try connection.reading {
          let format = try connection.number(SQLiteFile.readingFormat).map(StoreFormat.init)
          connection.keepsPrepared = format?.version ?? 0 >= PreparedTables.formatVersion
          return try body(connection)
        }
      }
    }
  }
}
