// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The change of a store to another version of its model, in one transaction: its plan and its writes.
final class EvolutionRun {
  let change: SchemaChange
  let snapshot: any KeyValueSnapshot
  let keepsFormats: Bool
  /// Whether the engine can defer steps, and whether this run does.
  let canDefer: Bool
  let defers: Bool
  let longestEntryKey: Int
  /// The tables that the store has.
  let catalog: IndexCatalog
  /// The signatures of the indexes that are not filled yet. Another process may have filled some since the change was
  /// planned.
  let unbuilt: Set<String>
  /// The number of records for each entity code of the source.
  let counts: [Int: Int]
  /// The entity codes whose records are removed.
  let removedCodes: Set<Int>
  /// The conversions of the records that stay, by entity code.
  private(set) var entities: [Int: EntityConversion] = [:]
  /// The derived slots that are computed for all records of an entity code.
  private(set) var derivedSlots: [Int: Set<Int>] = [:]
  /// The value of derived attributes that hold the time of a save.
  let time = Date()

  /// The values that moved relationships put into rows, by key.
  var moved: [Int64: [MovedValue]] = [:]
  /// The entity codes of these rows.
  var movedCodes: Set<Int> = []
  /// The rows with computed derived values that are in indexes being built.
  var computed: [Int64: Row] = [:]
  /// The destinations of to-many relationships after the change.
  var members: [ObjectIdentifier: [Int64: [Int64]]] = [:]
  /// The changes to the catalogue of tables.
  private(set) lazy var catalogChange = CatalogChange(self)
  let refused = RefusedRecords()

  /// The new value of a slot of a row.
  struct MovedValue {
    var slot: RowSlot
    var value: Int64?
  }
  /// Cancels scans of records.
  let cancellation: RequestCancellation?
  let batches: EvolutionBatches

  init(
    _ change: SchemaChange, over snapshot: any KeyValueSnapshot, in engine: any KeyValueEngine,
    batches: EvolutionBatches, defers: Bool = false, cancellation: RequestCancellation? = nil
  ) throws {
    self.batches = batches
    self.cancellation = cancellation
    canDefer = engine.keepsRemoved
    self.defers = defers && canDefer
    self.change = change
    self.snapshot = snapshot
    keepsFormats = engine.keepsFormats
    longestEntryKey = engine.longestEntryKey
    catalog = try IndexCatalog(try snapshot.blob(named: IndexCatalog.blobName) ?? [])
    unbuilt = try (KeyValueStore.metadata(in: snapshot) ?? change.metadata).deferredIndexes
    var counts: [Int: Int] = [:]
    for entity in change.source.entities where !entity.isAbstract {
      guard let code = change.source.code(of: entity) else { continue }
      counts[code] = try snapshot.recordCount(ofEntityCode: code)
    }
    self.counts = counts
    removedCodes = Set(change.removedEntities.compactMap { change.source.code(of: $0) })
    for entity in change.entities {
      entities[entity.code] = EntityConversion(entity, losing: lostReferences(of: entity))
    }
    findDerivedSlots()
  }

  /// The number of records with some entity codes.
  func count(of codes: some Sequence<Int>) -> Int {
    codes.reduce(0) { $0 + (counts[$1] ?? 0) }
  }

  /// The conversion for an entity code, limited to some slots of the destination.
  func conversion(ofCode code: Int, only slots: Set<Int>) -> EntityConversion? {
    guard let change = entities[code]?.change else { return nil }
    return EntityConversion(change, losing: lostReferences(of: change), only: slots)
  }

  /// The slots of an entity that may hold keys which the relationship no longer allows.
  private func lostReferences(of entity: EntityChange) -> [EntityConversion.LostReference] {
    let contents = entity.source.layout.contents
    return entity.slots.compactMap { slot in
      guard case .kept(let old) = slot.origin, case .reference(let before) = contents[old.index],
        case .reference(let after) = entity.destination.layout.contents[slot.slot.index]
      else { return nil }
      let codes = change.destination.codes(below: after.destinationEntity)
      let possible = change.source.codes(below: before.destinationEntity)
      guard count(of: possible.subtracting(codes).union(possible.intersection(removedCodes))) > 0
      else { return nil }
      return EntityConversion.LostReference(
        from: old, to: slot.slot, position: RelationMove.Place.slot(after).positionSlot,
        codes: codes.subtracting(removedCodes))
    }
  }

  /// Finds the slots to compute.
  private func findDerivedSlots() {
    for (code, entity) in entities {
      var slots: Set<Int> = []
      for slot in entity.change.slots {
        if case .derived = slot.origin { slots.insert(slot.slot.index) }
      }
      derivedSlots[code] = slots.isEmpty ? nil : slots
    }
  }
}

// MARK: - Both ways

extension EvolutionRun {
  /// Checks whether the change is possible, and returns its steps.
  func check() throws -> [MigrationPlan.Step] {
    try checkAbstract()
    try checkStranded()
    var steps = plannedSteps()
    try survey(&steps)
    for step in steps {
      switch step.work {
      case .move(let move): try fillSlots(move)
      case .index(let index): try checkUnique(index)
      case .note, .rewrite, .remove: break
      }
    }
    return steps.map(\.step)
  }

  /// Writes everything but the metadata.
  func write(to output: inout EvolutionOutput, reporter: MigrationReporter) throws {
    try checkAbstract()
    try checkStranded()
    let catalog = catalogChange
    try catalog.write(to: &output.batch, defers: defers)
    // Moves of relationships come first: rows and indexes contain the moved values.
    for planned in plannedSteps() where !isLeft(planned) {
      try reporter.begin(planned.step.title, records: Int64(planned.step.rows))
      switch planned.work {
      case .note: break
      case .move(let move): try write(move, catalog, to: &output.batch, reporter)
      case .rewrite(let code): try rewrite(code, to: &output, reporter)
      case .index(let index): try build(index, to: &output, reporter)
      case .remove(let entity): try remove(entity, to: &output, reporter)
      }
      try output.handOver()
    }
    for table in change.keptLinkTables { try removeLostLinks(table, catalog, to: &output.batch) }
  }

  /// Whether a step runs in transactions of its own after the version has changed.
  func isLeft(_ planned: PlannedStep) -> Bool {
    guard planned.isDeferrable, !defers else { return planned.isDeferrable }
    if case .index(let index) = planned.work { return isLeft(index) }
    return false
  }

  /// Whether an index is filled in transactions of its own: because that is deferred, or because one transaction
  /// would keep other writers waiting for long, and begin anew after a kill.
  func isLeft(_ index: IndexDefinition) -> Bool {
    guard canDefer, index.isDeferrable else { return false }
    return defers || batches.divides(entries: count(of: index.entityCodes))
  }

  /// The steps that are left for later.
  func deferredSteps() -> [DeferredStep] {
    let removed = defers ? catalogChange.emptiedTables : []
    return removed.map { DeferredStep(.table, String($0.number)) }
      + plannedSteps().compactMap { planned in
        guard isLeft(planned) else { return nil }
        switch planned.work {
        case .index(let index):
          return DeferredStep(.index, index.signature, isOverdue: !defers)
        case .remove(let entity):
          return change.source.code(of: entity).map { DeferredStep(.records, String($0)) }
        case .note, .move, .rewrite: return nil
        }
      }
  }

  /// Refuses links into other stores that cannot be migrated.
  private func checkStranded() throws {
    for place in change.strandedPlaces {
      let keys = try pairs(in: place).filter { ForeignNumber.isForeign($0.second) }.map(\.first)
      if let error = change.refusal(ofLinksToOtherStores: keys, in: place) { throw error }
    }
  }

  /// Refuses an entity that becomes abstract and has records.
  private func checkAbstract() throws {
    for entity in change.removedEntities {
      guard let code = change.source.code(of: entity), counts[code] ?? 0 > 0,
        let destination = change.destination.entity(
          ofKey: RecordKey.make(sequence: 0, entityCode: code)), destination.isAbstract
      else { continue }
      let found = RefusedRecords()
      try snapshot.scanRecords(ofEntityCode: code, need: RowNeed(kept: .none)) { chunk in
        try cancellation.check()
        for index in 0..<chunk.count { found.insert(chunk.key(index)) }
        return true
      }
      try found.check(.migration, in: change.source, entity) { count in
        "The entity is to be abstract and has \(count) records; delete them or keep it concrete."
      }
    }
  }
}
