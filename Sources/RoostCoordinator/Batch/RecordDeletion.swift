// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Applies the delete rules of records within their store: each step of a cascade is one batch of requests for all of
/// its records.
struct RecordDeletion {
  /// The records to delete.
  private(set) var removed: [RowVersion] = []
  /// The records whose references to deleted ones are cleared.
  private(set) var updated: [RowUpdate] = []

  private let store: AttachedStore
  private var removedKeys: Set<Int64> = []
  /// For each record that refers to a deleted one, the slots that may refer to it.
  private var references: [Int64: [Reference]] = [:]

  /// A slot that may refer to a deleted record, and its position slot, which is cleared with it.
  private struct Reference: Hashable {
    var slot: RowSlot
    var position: RowSlot?
  }

  init(of rows: [Row], in store: AttachedStore) throws {
    self.store = store
    var step = rows
    while !step.isEmpty {
      removedKeys.formUnion(step.map(\.key))
      removed += step.map { RowVersion(key: $0.key, version: $0.version) }
      step = try store.existingRows(forKeys: try follow(step))
    }
    try clearReferences()
  }

  /// Notes the references to the records of a step, and returns the records that the step deletes by cascade.
  private mutating func follow(_ step: [Row]) throws -> Set<Int64> {
    var next: Set<Int64> = []
    for (entity, rows) in Dictionary(grouping: step, by: { ObjectIdentifier($0.layout.entity) }) {
      guard let layout = rows.first?.layout, ObjectIdentifier(layout.entity) == entity else {
        continue
      }
      for relationship in layout.entity.relationshipsInOrder {
        switch relationship.deleteRule {
        case .noAction: break
        case .cascade: next.formUnion(try destinations(of: relationship, from: rows))
        case .nullify, .deny: try noteReferences(through: relationship, to: rows)
        }
      }
    }
    return next.subtracting(removedKeys)
  }

  private func destinations(
    of relationship: RelationshipDescription, from rows: [Row]
  ) throws -> [Int64] {
    switch relationship.storage {
    case .toOne(let slot):
      // References to other stores are skipped: none of those stores is attached.
      rows.compactMap { $0.reference(slot) }.filter { !ForeignNumber.isForeign($0) }
    case .inverseOfToOne, .links:
      try store.destinations(of: relationship, forSources: rows.map(\.key)).keys
        .filter { !ForeignNumber.isForeign($0) }
    case .transient: []
    }
  }

  /// Notes references in slots of other records, which must be cleared; links are deleted with their records.
  private mutating func noteReferences(
    through relationship: RelationshipDescription, to rows: [Row]
  ) throws {
    switch relationship.storage {
    case .inverseOfToOne(let slot, let position):
      for key in try destinations(of: relationship, from: rows) {
        references[key, default: []].append(Reference(slot: slot, position: position))
      }
    case .toOne(let own):
      guard let inverse = relationship.maintainedInverse, case .toOne(let slot) = inverse.storage
      else { return }
      for key in rows.compactMap({ $0.reference(own) }) where !ForeignNumber.isForeign(key) {
        references[key, default: []].append(Reference(slot: slot, position: nil))
      }
    case .links, .transient: break
    }
  }

  private mutating func clearReferences() throws {
    let keys = Set(references.keys).subtracting(removedKeys)
    for base in try store.existingRows(forKeys: keys) {
      let row = base.copy(version: base.version &+ 1)
      for reference in references[base.key] ?? [] {
        guard let key = base.reference(reference.slot), removedKeys.contains(key) else { continue }
        row.setNull(reference.slot)
        if let position = reference.position { row.setNull(position) }
      }
      let slots = row.changedSlots(from: base)
      guard !slots.isEmpty else { continue }
      updated.append(RowUpdate(row: row, baseVersion: base.version, changedSlots: slots))
    }
  }
}

extension AttachedStore {
  /// Returns the rows of the existing records, without a request for an empty set.
  fileprivate func existingRows(forKeys keys: Set<Int64>) throws -> [Row] {
    keys.isEmpty ? [] : try storedRows(forKeys: keys.sorted())
  }
}
