// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// A cascading deletion that is computed in portions. It keeps the key and the version of every deleted record, but
/// holds rows only for the current portion.
struct PortionedDeletion {
  /// The records to delete, one cascade level after the other.
  private(set) var removed: [RowVersion] = []

  private let source: SnapshotRecords
  private let portion: Int
  private var removedKeys: Set<Int64> = []
  /// For each record that refers to a deleted one: the slots that may hold the reference, with their position slots.
  private var references: [Int64: [Reference]] = [:]

  /// A slot that may refer to a deleted record, and the position slot that becomes nil together with it.
  private struct Reference: Hashable {
    var slot: RowSlot
    var position: RowSlot?
  }

  init(_ source: SnapshotRecords, portion: Int) {
    self.source = source
    self.portion = portion
  }

  /// Collects the records that exist, and all that their delete rules cascade to.
  mutating func follow(_ keys: [Int64]) throws {
    var step = keys
    while !step.isEmpty {
      var next: Set<Int64> = []
      let known = removed.count
      try forEachPortion(of: step) { deletion, rows in
        for row in rows where deletion.removedKeys.insert(row.key).inserted {
          deletion.removed.append(RowVersion(key: row.key, version: row.version))
        }
        next.formUnion(try deletion.follow(rows))
      }
      guard removed.count > known else { return }
      step = next.subtracting(removedKeys).sorted()
    }
  }

  private mutating func forEachPortion(
    of keys: [Int64], _ body: (inout PortionedDeletion, [Row]) throws -> Void
  ) throws {
    for start in stride(from: 0, to: keys.count, by: portion) {
      let some = keys[start..<min(start + portion, keys.count)].sorted()
      try body(&self, try source.rows(forKeys: some))
    }
  }

  /// Records the references to the rows of a portion, and returns the keys that the portion cascades to.
  private mutating func follow(_ rows: [Row]) throws -> Set<Int64> {
    var next: Set<Int64> = []
    for rows in Dictionary(grouping: rows, by: { ObjectIdentifier($0.layout.entity) }).values {
      for relationship in rows[0].layout.entity.relationshipsInOrder {
        switch relationship.deleteRule {
        case .noAction: break
        case .cascade: next.formUnion(try destinations(of: relationship, from: rows))
        case .nullify, .deny: try noteReferences(through: relationship, to: rows)
        }
      }
    }
    return next
  }

  private func destinations(
    of relationship: RelationshipDescription, from rows: [Row]
  ) throws -> [Int64] {
    switch relationship.storage {
    case .toOne(let slot):
      rows.compactMap { $0.reference(slot) }.filter { !ForeignNumber.isForeign($0) }
    case .inverseOfToOne, .links:
      try source.destinations(of: relationship, forSources: rows.map(\.key)).keys
        .filter { !ForeignNumber.isForeign($0) }
    case .transient: []
    }
  }

  /// Links go with their records by themselves; a reference in a slot of the other record has to be cleared.
  private mutating func noteReferences(
    through relationship: RelationshipDescription, to rows: [Row]
  ) throws {
    let reference: Reference
    switch relationship.storage {
    case .inverseOfToOne(let slot, let position):
      reference = Reference(slot: slot, position: position)
    case .toOne:
      guard let inverse = relationship.maintainedInverse, case .toOne(let slot) = inverse.storage
      else { return }
      reference = Reference(slot: slot, position: nil)
    case .links, .transient: return
    }
    for key in try destinations(of: relationship, from: rows) {
      if references[key]?.contains(reference) != true {
        references[key, default: []].append(reference)
      }
    }
  }

  /// Calls `body` with the updates of records that name a removed one, some at a time and in the order of their keys.
  mutating func forEachCleared(_ body: ([RowUpdate]) throws -> Void) throws {
    let keys = references.keys.filter { !removedKeys.contains($0) }.sorted()
    try forEachPortion(of: keys) { deletion, rows in
      let updates = rows.compactMap { deletion.update(of: $0) }
      if !updates.isEmpty { try body(updates) }
    }
  }

  private func update(of base: Row) -> RowUpdate? {
    let row = base.copy(version: base.version &+ 1)
    for reference in references[base.key] ?? [] {
      guard let key = base.reference(reference.slot), removedKeys.contains(key) else { continue }
      row.setNull(reference.slot)
      if let position = reference.position { row.setNull(position) }
    }
    let slots = row.changedSlots(from: base)
    guard !slots.isEmpty else { return nil }
    return RowUpdate(row: row, baseVersion: base.version, changedSlots: slots)
  }
}
