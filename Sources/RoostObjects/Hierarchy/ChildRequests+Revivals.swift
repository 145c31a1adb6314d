// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Objects that are new for a child, because it has taken back their deletion after saving it, while their records
// still exist here or below: the deletion is not saved yet, or was rolled back. They are updates.
extension ChildRequests {
  /// Returns these objects by ID, with their values and destinations read. Nothing is changed.
  func standing(_ insertions: [GraphChanges.Insertion]) throws -> [ObjectID: ManagedObject] {
    var result: [ObjectID: ManagedObject] = [:]
    var unread: [ObjectID] = []
    for id in insertions.lazy.map(\.id.current) {
      let known = context.registry.object(for: id)
      if let known, !known.isFault {
        if known.snapshot != nil, !known.flags.contains(.inaccessible) { result[id] = known }
      } else if known != nil || !id.isTemporaryID {
        unread.append(id)
      }
    }
    if !unread.isEmpty {
      let rows = try context.upstream.source().rows(for: unread, stalenessInterval: -1)
      for (id, row) in zip(unread, rows) {
        guard let row else { continue }
        let object = context.object(with: id)
        if object.isFault { _ = object.restoring.awake(with: row) }
        result[id] = object
      }
    }
    for object in result.values {
      for relationship in object.binding.relationships where !relationship.isTransient {
        _ = try object.related.readDestinations(relationship)
      }
    }
    return result
  }

  /// Gives an object the values of a child's insertion. Its relationships are empty until those of the child are set.
  func takeBack(_ object: ManagedObject, as insertion: GraphChanges.Insertion) {
    if object.flags.contains(.deleted) {
      context.changes.noteRevival(of: object)
    } else {
      object.noteChange()
    }
    for relationship in object.binding.relationships where !relationship.isTransient {
      object.editor.severAll(relationship)
    }
    for slot in object.binding.layout.slots where slot.kind != .reference && slot.kind != .position
    {
      guard let row = object.row, !row.equals(insertion.row, at: slot) else { continue }
      guard object.willWrite(slot) != nil else { continue }
      object.row?.copySlot(slot, from: insertion.row)
    }
  }
}
