// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostStore

// A part is checked like a commit, but only its encoded changes are written (X11). An engine that is not durable keeps
// parts as long as its records (X13): saves that conflict with a part are refused all the same.
extension KeyValueStore: StorePreparation {
  /// The store itself: it can take part in saves over several stores.
  public var preparation: (any StorePreparation)? { self }

  /// Whether the engine is durable, so that parts outlive the process.
  public var keepsParts: Bool { engine.isDurable }

  /// Checks a part for conflicts, and stores its encoded changes in a blob of their own.
  public func prepare(
    _ changes: StoreChangeSet, for save: SaveTicket
  ) throws -> PreparationOutcome {
    let schema = try preparedSchema()
    try requireWritable("cannot be saved to")
    let bytes = try PreparedChanges.bytes(of: changes.basedOn(metadata), schema.schema)
    let part = PreparedPart(ticket: save, keys: changes.touchedKeys)
    return try engine.writing(cancellation) { snapshot, batch in
      try cancellation.check()
      try schema.check(snapshot)
      // Only the part is written now; its changes are written when it is finished.
      var later = WriteBatch()
      let plan = try CommitPlan(
        changes, schema: schema, snapshot: snapshot, known: self.metadata, into: &later)
      guard plan.conflicts.isEmpty else { return .conflicted(plan.conflicts) }
      try requireNoOverlap(of: changes, schema, snapshot)
      // A Roost that does not support parts would overwrite them.
      try FormatBlob.raise(over: snapshot, in: &batch)
      batch.setBlob(bytes, named: SaveRecords.changesName(of: save.id))
      try changeRecords(over: snapshot, &batch) { $0.parts.append(part) }
      // The history position is known when the part is finished.
      return .prepared(CommitReceipt(recomputed: plan.receipt.recomputed))
    }
  }

  /// Writes the changes of a part, or discards them. Others rely on that: where another process has done it, perhaps
  /// less durably, it is made durable before the answer.
  public func finish(_ save: SaveID, committing: Bool) throws -> CommitReceipt? {
    try requireWritable("cannot be saved to")
    let schema = committing ? try preparedSchema() : nil
    let name = SaveRecords.changesName(of: save)
    var written: StoreChangeSet?
    var isGone = false
    let receipt: CommitReceipt? = try engine.writing(cancellation) { snapshot, batch in
      written = nil
      guard let bytes = try snapshot.blob(named: name) else {
        isGone = true
        return nil
      }
      var receipt: CommitReceipt?
      if let schema {
        try schema.check(snapshot)
        let changes = try PreparedChanges.changes(in: bytes, schema.schema)
        let plan = try CommitPlan(
          changes, schema: schema, snapshot: snapshot, known: self.metadata, into: &batch)
        guard plan.conflicts.isEmpty else {
          throw PreparedPart.overtaken(in: identity.identifier)
        }
        (receipt, written) = (plan.receipt, changes)
      }
      batch.setBlob(nil, named: name)
      try changeRecords(over: snapshot, &batch) { records in
        records.parts.removeAll { $0.ticket.id == save }
      }
      return receipt
    }
    if isGone { try engine.makeDurable() }
    if let written { remember(metadataOf: written) }
    return receipt
  }

  /// Commits the store's own part together with the decision.
  public func decide(
    _ changes: StoreChangeSet, for save: SaveTicket, forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> DecisionOutcome {
    let schema = try preparedSchema()
    try requireWritable("cannot be saved to")
    let outcome: DecisionOutcome = try engine.writing(cancellation) { snapshot, batch in
      try cancellation.check()
      try schema.check(snapshot)
      let records = try SaveRecords(in: snapshot)
      guard records.isRegistered(save.coordinator) else { return .refused }
      let plan = try CommitPlan(
        changes, schema: schema, snapshot: snapshot, known: self.metadata, into: &batch)
      guard plan.conflicts.isEmpty else { return .conflicted(plan.conflicts) }
      try requireNoOverlap(of: changes, schema, snapshot)
      try changeRecords(over: snapshot, &batch) { records in
        records.decisions.append(
          RememberedDecision(ticket: save, unacknowledged: save.participants))
        records.forget(acknowledged)
      }
      return .committed(plan.receipt)
    }
    if case .committed = outcome { remember(metadataOf: changes) }
    return outcome
  }

  /// The decision on a save; with `aborting`, an undecided save is ended. Other stores finish a save that is committed,
  /// so the decision is made durable before the answer, also where its own commit was not, or failed to be.
  public func decision(
    on save: SaveTicket, for participant: String, aborting: Bool
  ) throws -> Decision {
    try checkOpen()
    guard aborting, !isReadOnly else {
      let decision = try engine.reading {
        try SaveRecords(in: $0).decision(on: save, for: participant)
      }
      if decision == .committed { try engine.makeDurable() }
      return decision
    }
    return try engine.writing(cancellation) { snapshot, batch in
      let decision = try SaveRecords(in: snapshot).decision(on: save, for: participant)
      if decision == .committed {
        // Written again: after a flush has failed, another one may succeed without writing anything.
        let bytes = try snapshot.blob(named: SaveRecords.decisionsName)
        if let bytes { batch.setBlob(bytes, named: SaveRecords.decisionsName) }
      }
      guard decision == .none || decision == .forgotten else { return decision }
      try changeRecords(over: snapshot, &batch) { $0.end(save.coordinator) }
      return decision == .none ? .aborted : decision
    }
  }

  /// The prepared parts.
  public func pending() throws -> [PreparedPart] {
    try checkOpen()
    return try engine.reading { try SaveRecords.parts(in: $0) }
  }

  /// Registers a coordinator, so that it may decide here.
  public func register(_ coordinator: UUID) throws {
    try changeRecords { $0.register(coordinator) }
  }

  /// Removes a coordinator's registration, so that it may no longer decide here.
  public func unregister(_ coordinator: UUID) throws {
    try changeRecords { $0.unregister(coordinator) }
  }

  /// Forgets decisions that all participants have acknowledged.
  public func forget(_ acknowledged: [SaveAcknowledgement]) throws {
    guard !acknowledged.isEmpty else { return }
    try changeRecords { $0.forget(acknowledged) }
  }

  /// The remembered decisions.
  public func decisions() throws -> [RememberedDecision] {
    try checkOpen()
    return try engine.reading { try SaveRecords(in: $0).decisions }
  }

  private func changeRecords(_ change: (inout SaveRecords) -> Void) throws {
    try checkOpen()
    try requireWritable("cannot decide about saves")
    try engine.write(cancellation) { snapshot, batch in
      try changeRecords(over: snapshot, &batch, change)
    }
  }

  private func changeRecords(
    over snapshot: any KeyValueSnapshot, _ batch: inout WriteBatch,
    _ change: (inout SaveRecords) -> Void
  ) throws {
    let before = try SaveRecords(in: snapshot)
    var records = before
    change(&records)
    records.write(over: before, to: &batch)
  }
}

// MARK: - Overtaking

extension KeyValueStore {
  /// Refuses a save that conflicts with a prepared part: one that writes the same records, one that writes metadata as
  /// the part does, and one whose unique values clash with the part's.
  ///
  /// - Throws: `saveInDoubt`.
  func requireNoOverlap(
    of changes: StoreChangeSet, _ schema: KeyValueSchema, _ snapshot: any KeyValueSnapshot
  ) throws {
    let parts = try SaveRecords.parts(in: snapshot)
    guard !parts.isEmpty else { return }
    let keys = Set(changes.touchedKeys)
    for part in parts {
      guard try part.touches(keys) || standsInTheWay(changes, of: part, schema, snapshot) else {
        continue
      }
      throw part.inDoubt(in: identity.identifier)
    }
  }

  private func standsInTheWay(
    _ changes: StoreChangeSet, of part: PreparedPart, _ schema: KeyValueSchema,
    _ snapshot: any KeyValueSnapshot
  ) throws -> Bool {
    let hasUniqueValues = schema.indexes.contains {
      if case .unique = $0.purpose { true } else { false }
    }
    guard hasUniqueValues || changes.metadata != nil,
      let bytes = try snapshot.blob(named: SaveRecords.changesName(of: part.ticket.id))
    else { return false }
    let prepared = try PreparedChanges.changes(in: bytes, schema.schema)
    if changes.metadata != nil, prepared.metadata != nil { return true }
    guard hasUniqueValues else { return false }
    // Each of the two can be written alone; writing both as one finds the unique values that they share.
    var both = StoreChangeSet(
      inserted: changes.inserted + prepared.inserted, updated: changes.updated + prepared.updated,
      deleted: changes.deleted + prepared.deleted)
    both.locked = []
    both.links = changes.links + prepared.links
    // Unique values can be derived ones, which neither of the two has yet.
    both = try both.deriving(
      schema.schema.derivations(), from: SnapshotRecords(schema: schema, snapshot: snapshot)
    ).changes
    both.links = []
    var writer = CommitWriter(both, schema: schema, snapshot: snapshot)
    try writer.write()
    return !writer.conflicts.isEmpty
  }
}
