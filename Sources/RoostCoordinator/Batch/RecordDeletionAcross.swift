// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Applies the delete rules of a batch deletion where relationships lead from store to store: like ``RecordDeletion``
/// for one store, with IDs in the place of keys.
struct RecordDeletionAcross {
  /// The changes to write, by store.
  private(set) var changes = BatchChanges()

  private let list: StoreList
  private var removed: Set<ObjectID> = []
  /// For each record that refers to a deleted one, the slots that may refer to it.
  private var references: [ObjectID: Set<Reference>] = [:]

  /// A slot that may refer to a deleted record, and its position slot, which is cleared with it.
  private struct Reference: Hashable {
    var slot: RowSlot
    var position: RowSlot?
  }

  init(of rows: [(store: AttachedStore, rows: [Row])], in list: StoreList) throws {
    self.list = list
    var step = rows
    while !step.isEmpty {
      for (store, rows) in step {
        let ids = try store.objectIDs(forKeys: rows.map(\.key))
        removed.formUnion(ids)
        changes.ids += ids
        changes.add(store) { part in
          part.deleted += rows.map { RowVersion(key: $0.key, version: $0.version) }
        }
      }
      step = try existingRows(of: try follow(step))
    }
    try clearReferences()
    let deleted = changes.ids
    try LinksOfDeleted(list: list).forEach(of: deleted) { store, links in
      guard !store.isReadOnly else { return }
      changes.add(store) { $0.links += links }
    }
  }

  /// Notes the references to the records of a step, and returns the records that the step deletes by cascade.
  private mutating func follow(
    _ step: [(store: AttachedStore, rows: [Row])]
  ) throws -> Set<ObjectID> {
    var next: Set<ObjectID> = []
    for (store, rows) in step {
      for rows in Dictionary(grouping: rows, by: { ObjectIdentifier($0.layout.entity) }).values {
        for relationship in rows[0].layout.entity.relationshipsInOrder {
          switch relationship.deleteRule {
          case .noAction: break
          case .cascade: next.formUnion(try destinations(of: relationship, from: rows, in: store))
          case .nullify, .deny: try noteReferences(through: relationship, to: rows, in: store)
          }
        }
      }
    }
    return next.subtracting(removed)
  }

  private func destinations(
    of relationship: RelationshipDescription, from rows: [Row], in store: AttachedStore
  ) throws -> [ObjectID] {
    switch relationship.storage {
    case .toOne(let slot):
      return try store.destinationIDs(forKeys: rows.compactMap { $0.reference(slot) })
        .compactMap(\.self)
    case .inverseOfToOne, .links:
      let keys = rows.map(\.key)
      guard relationship.leadsAcrossStores else {
        return try store.objectIDs(
          forKeys: store.destinations(of: relationship, forSources: keys).keys)
      }
      let group = StoreGroups.Group(store: store, indices: Array(rows.indices), keys: keys)
      return Array(
        try DestinationsAcross(relationship: relationship, list: list)
          .run([group], count: rows.count).ids)
    case .transient: return []
    }
  }

  /// Notes references in slots of other records, which must be cleared; links are deleted with their records, and by
  /// ``LinksOfDeleted``.
  private mutating func noteReferences(
    through relationship: RelationshipDescription, to rows: [Row], in store: AttachedStore
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
    for id in try destinations(of: relationship, from: rows, in: store) where isAttached(id) {
      references[id, default: []].insert(reference)
    }
  }

  private mutating func clearReferences() throws {
    for (store, rows) in try existingRows(of: Set(references.keys).subtracting(removed)) {
      for base in rows {
        guard let id = store.objectID(forKey: base.key) else { throw store.unknownKeyError }
        let row = base.copy(version: base.version &+ 1)
        for reference in references[id] ?? [] {
          guard let key = base.reference(reference.slot),
            let destination = try store.destinationID(forKey: key), removed.contains(destination)
          else { continue }
          row.setNull(reference.slot)
          if let position = reference.position { row.setNull(position) }
        }
        let slots = row.changedSlots(from: base)
        guard !slots.isEmpty else { continue }
        changes.add(store) { part in
          part.updated.append(
            RowUpdate(row: row, baseVersion: base.version, changedSlots: slots))
        }
      }
    }
  }

  /// Whether the record's store is attached: otherwise its references cannot be changed.
  private func isAttached(_ id: ObjectID) -> Bool {
    id.storeIdentity.flatMap(list.store) != nil
  }

  /// Returns the rows of the existing records, grouped by store.
  ///
  /// - Throws: `storeRemoved` for a record of a store that is not attached.
  private func existingRows(
    of ids: Set<ObjectID>
  ) throws -> [(store: AttachedStore, rows: [Row])] {
    guard !ids.isEmpty else { return [] }
    return try StoreGroups(Array(ids), in: list).groups.map { group in
      (group.store, try group.store.storedRows(forKeys: group.keys.sorted()))
    }.filter { !$0.rows.isEmpty }
  }
}
