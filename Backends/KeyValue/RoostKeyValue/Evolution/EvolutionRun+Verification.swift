// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// Comparison of the data before and after an evolution.
extension EvolutionRun {
  /// Compares the written data with those before.
  ///
  /// - Throws: `migration` when they differ where they should not.
  func verify(
    _ verification: EvolutionPolicy.Verification, _ before: any KeyValueSnapshot,
    _ after: any KeyValueSnapshot
  ) throws {
    let writes = plannedSteps().contains { step in
      switch step.work {
      case .note, .index: false
      case .move, .rewrite, .remove: true
      }
    }
    guard verification != .off, writes else { return }
    for entity in change.entities {
      let name = entity.destination.name ?? ""
      try compare(
        "the records of \(name)", counts[entity.code] ?? 0,
        after.recordCount(ofEntityCode: entity.code), entity: name)
      if mayRewrite(entity.code) { try compareReferences(of: entity, before, after) }
      if verification == .checksums { try compareValues(of: entity, before, after) }
    }
    for tables in change.keptLinkTables { try compareLinks(tables, before, after) }
  }

  private func compare(_ what: String, _ before: Int, _ after: Int, entity: String?) throws {
    guard before != after else { return }
    throw PersistenceError.unverified(
      what, was: "\(before)", is: "\(after)", entity: entity)
  }

  /// Compares how many records have a key in each reference slot that stays as it is.
  private func compareReferences(
    of entity: EntityChange, _ before: any KeyValueSnapshot, _ after: any KeyValueSnapshot
  ) throws {
    let slots = entity.slots.compactMap { slot -> (name: String, old: RowSlot, new: RowSlot)? in
      guard case .reference = entity.destination.layout.contents[slot.slot.index],
        let old = entities[entity.code]?.keptSlot(slot.slot),
        !change.moves.contains(where: { $0.fills(slot.slot, of: entity.destination) })
      else { return nil }
      return (slot.name, old, slot.slot)
    }
    guard !slots.isEmpty else { return }
    let was = try counts(of: slots.map(\.old), entity.code, before)
    let isNow = try counts(of: slots.map(\.new), entity.code, after)
    for (index, slot) in slots.enumerated() {
      let name = entity.destination.name ?? ""
      try compare(
        "the records that “\(slot.name)” of \(name) leads away from", was[index], isNow[index],
        entity: name)
    }
  }

  private func counts(
    of slots: [RowSlot], _ code: Int, _ snapshot: any KeyValueSnapshot
  ) throws -> [Int] {
    var counts = [Int](repeating: 0, count: slots.count)
    let need = RowNeed(judged: .some(Set(slots.map(\.index))), kept: .none)
    try snapshot.scanRecords(ofEntityCode: code, need: need) { chunk in
      try cancellation.check()
      for index in 0..<chunk.count {
        chunk.withRow(index) { row in
          for (number, slot) in slots.enumerated() where !row.isNull(slot) { counts[number] += 1 }
        }
      }
      return true
    }
    return counts
  }

  private func compareValues(
    of entity: EntityChange, _ before: any KeyValueSnapshot, _ after: any KeyValueSnapshot
  ) throws {
    let slots = KeptSlots(entity)
    guard
      try sum(of: slots.source, entity.code, before)
        != sum(of: slots.destination, entity.code, after)
    else { return }
    throw PersistenceError.unverified(
      "values of \(slots.name) that were to be kept", was: "with one checksum",
      is: "with another", entity: slots.name)
  }

  private func sum(
    of slots: [RowSlot], _ code: Int, _ snapshot: any KeyValueSnapshot
  ) throws -> RecordSum {
    var sum = RecordSum()
    let need = RowNeed(judged: .some(Set(slots.map(\.index))), kept: .none)
    try snapshot.scanRecords(ofEntityCode: code, need: need) { chunk in
      try cancellation.check()
      for index in 0..<chunk.count { _ = chunk.withRow(index) { sum.add($0, slots) } }
      return true
    }
    return sum
  }

  private func compareLinks(
    _ tables: (source: LinkTable, destination: LinkTable), _ before: any KeyValueSnapshot,
    _ after: any KeyValueSnapshot
  ) throws {
    let codes = RelationMove.Place.links(tables.destination).codes(in: change.destination)
    guard
      !losesRecords(from: .links(tables.source), firsts: codes.firsts, seconds: codes.seconds),
      let old = catalog.tables[tables.source.forwardSignature],
      let new = catalogChange.tables(of: tables.destination)?.forward
    else { return }
    let relationship = tables.destination.relationship
    try compare(
      "the links of “\(relationship.name)” of \(relationship.entity?.name ?? "")",
      before.entryCount(of: old, in: .all), after.entryCount(of: new, in: .all),
      entity: relationship.entity?.name)
  }
}

extension RelationMove {
  /// Whether the move writes a slot of an entity.
  fileprivate func fills(_ slot: RowSlot, of entity: EntityDescription) -> Bool {
    guard case .slot(let relationship) = to, let holder = relationship.entity else { return false }
    return entity.isKindOf(entity: holder) && relationship.slot?.index == slot.index
  }
}
