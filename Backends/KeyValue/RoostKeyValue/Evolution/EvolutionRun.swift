// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The change of a store to another version of its model, in one transaction: what it would do, and what it writes.
final class EvolutionRun {
  let change: SchemaChange
  let snapshot: any KeyValueSnapshot
  let keepsFormats: Bool
  /// Whether something can be left for later, and whether it is.
  let canDefer: Bool
  let defers: Bool
  let longestEntryKey: Int
  /// The tables that the store has.
  let catalog: IndexCatalog
  /// How many records there are of each code of the source.
  let counts: [Int: Int]
  /// The codes whose records go.
  let removedCodes: Set<Int>
  /// What becomes of the records of each code that stays.
  private(set) var entities: [Int: EntityConversion] = [:]
  /// The slots that are computed for all records of a code.
  private(set) var derivedSlots: [Int: Set<Int>] = [:]
  /// The time that derived attributes have that are the time of a save.
  let time = Date()

  /// What relationships that move put into rows.
  var moved: [Int64: [MovedValue]] = [:]
  /// The codes of these rows.
  var movedCodes: Set<Int> = []
  /// The rows whose derived values were computed and are in indexes that are made.
  var computed: [Int64: Row] = [:]
  /// The destinations of to-many relationships, as they are to be.
  var members: [ObjectIdentifier: [Int64: [Int64]]] = [:]
  /// Which tables there are to be.
  private(set) lazy var catalogChange = CatalogChange(self)
  let refused = RefusedRecords()

  /// What a slot of a row gets.
  struct MovedValue {
    var slot: RowSlot
    var value: Int64?
  }
  /// Ends looking through records.
  let cancellation: RequestCancellation?

  init(
    _ change: SchemaChange, over snapshot: any KeyValueSnapshot, in engine: any KeyValueEngine,
    defers: Bool = false, cancellation: RequestCancellation? = nil
  ) throws {
    self.cancellation = cancellation
    canDefer = engine.keepsRemoved
    self.defers = defers && canDefer
    self.change = change
    self.snapshot = snapshot
    keepsFormats = engine.keepsFormats
    longestEntryKey = engine.longestEntryKey
    catalog = try IndexCatalog(try snapshot.blob(named: IndexCatalog.blobName) ?? [])
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
    try findDerivedSlots()
  }

  /// How many records some codes have.
  func count(of codes: some Sequence<Int>) -> Int {
    codes.reduce(0) { $0 + (counts[$1] ?? 0) }
  }

  /// The conversion of a code, of some slots of the destination only.
  func conversion(ofCode code: Int, only slots: Set<Int>) -> EntityConversion? {
    guard let change = entities[code]?.change else { return nil }
    return EntityConversion(change, losing: lostReferences(of: change), only: slots)
  }

  /// The slots of an entity in which there can be keys that the relationship may not have any more.
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

  /// Finds what is computed: what is new, and what can be another value because of what happens to other records.
  private func findDerivedSlots() throws {
    let plan = try change.destination.derivations()
    guard !plan.isEmpty else { return }
    let concernsOthers =
      count(of: removedCodes) > 0 || entities.values.contains { $0.changesSome }
    for (code, entity) in entities {
      var slots: Set<Int> = []
      for slot in entity.change.slots {
        if case .derived = slot.origin { slots.insert(slot.slot.index) }
      }
      if concernsOthers {
        slots.formUnion(plan.repeatableSlots(of: entity.change.destination).map(\.index))
      }
      derivedSlots[code] = slots.isEmpty ? nil : slots
    }
  }
}

// MARK: - Both ways

extension EvolutionRun {
  /// Looks whether the change can be made, and says what it would do.
  func check() throws -> [MigrationPlan.Step] {
    try checkAbstract()
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
    let catalog = catalogChange
    try catalog.write(to: &output.batch, defers: defers)
    // Places of relationships come first: rows and indexes have what they bring.
    for planned in plannedSteps() where !(defers && planned.isDeferrable) {
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

  /// What is left for later.
  func deferredSteps() -> [DeferredStep] {
    guard defers else { return [] }
    let removed = catalogChange.emptiedTables.map { DeferredStep(.table, String($0.number)) }
    return removed
      + plannedSteps().compactMap { planned in
        guard planned.isDeferrable else { return nil }
        switch planned.work {
        case .index(let index): return DeferredStep(.index, index.signature)
        case .remove(let entity):
          return change.source.code(of: entity).map { DeferredStep(.records, String($0)) }
        case .note, .move, .rewrite: return nil
        }
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
