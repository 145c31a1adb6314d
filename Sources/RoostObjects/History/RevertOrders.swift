// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

/// The positions of destinations in ordered relationships before a transaction, to be restored.
struct RevertOrders {
  private struct List: Hashable {
    var owner: ObjectID
    var relationship: ObjectIdentifier
  }

  private var lists: [List: (relationship: RelationshipDescription, positions: [ObjectID: Int64])] =
    [:]

  /// Records a position.
  mutating func note(
    _ position: Int64?, of member: ManagedObject, among relationship: RelationshipDescription,
    of owner: ManagedObject
  ) {
    note(position, of: member.identity, among: relationship, of: owner.identity)
  }

  /// Records a position, if the relationship is ordered.
  mutating func note(
    _ position: Int64?, of member: ObjectID, among relationship: RelationshipDescription,
    of owner: ObjectID
  ) {
    guard relationship.isOrdered, let position else { return }
    let list = List(owner: owner, relationship: ObjectIdentifier(relationship))
    lists[list, default: (relationship, [:])].positions[member] = position
  }

  /// Restores the order of the destinations: by the recorded position where there is one, otherwise by the stored
  /// one. The save assigns the recorded positions again, so that they stay comparable with those of earlier
  /// transactions.
  func apply(in context: ManagedObjectContext, noting note: (ObjectID) -> Void) throws {
    for (list, (relationship, known)) in lists {
      let owner = context.object(with: list.owner)
      guard !owner.isDeleted else { continue }
      var positions: [ObjectID: Int64] = [:]
      if !owner.isInserted {
        let stored = try context.upstream.source().destinations(
          of: relationship, for: [list.owner])
        for (index, id) in stored.ids.enumerated() where index < stored.positions.count {
          positions[id] = stored.positions[index]
        }
      }
      context.saving.restoredPositions.note(known, in: relationship, of: list.owner)
      positions.merge(known) { $1 }
      let members = try owner.related.readLinks(relationship).members
      let sorted = members.enumerated().sorted { left, right in
        let (one, other) = (
          positions[left.element.identity] ?? .max, positions[right.element.identity] ?? .max
        )
        return one != other ? one < other : left.offset < right.offset
      }.map(\.element)
      guard !members.elementsEqual(sorted, by: ===) else { continue }
      try owner.keyed.setRelationship(relationship, to: Array(sorted))
      note(list.owner)
    }
  }
}
