// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RestoreState {
  /// Sets the relationships of an object that is written again. Those severed by its deletion are empty, whatever its
  /// old row has, until the steps are undone; the others keep their destinations.
  func takeLinks(
    _ standing: [(relationship: RelationshipDescription, to: ContiguousArray<ManagedObject>)]
  ) {
    for relationship in owner.binding.relationships where !relationship.isToMany {
      if !relationship.endures { owner.editor.setLink(.toOne(nil), relationship.ordinal) }
    }
    for (relationship, destinations) in standing {
      guard relationship.isToMany else {
        owner.editor.setLink(.toOne(destinations.first), relationship.ordinal)
        continue
      }
      let links = owner.related.toManyLinks(relationship)
      for destination in destinations { links.add(destination) }
    }
  }

  /// Makes the object one without changes, because it has its committed values again.
  func forgetChanges() {
    owner.context?.changes.forget(owner)
    owner.settled.removeAll()
    owner.changedSlots.removeAll()
    owner.changedLinks.removeAll()
  }

  /// Adds the object to its owners again: objects that were read while it was deleted left it out, although the
  /// deletion had not severed the relationship.
  func returnToOwners() {
    guard !self.owner.links.isEmpty else { return }
    for relationship in self.owner.binding.relationships where relationship.endures {
      guard let inverse = relationship.maintainedInverse, inverse.isToMany else { continue }
      let owners: ContiguousArray<ManagedObject>
      switch self.owner.links[relationship.ordinal] {
      case .toOne(let owner): owners = owner.map { [$0] } ?? []
      case .toMany(let links): owners = links.members
      case .unloaded: continue
      }
      for owner in owners where !owner.links.isEmpty {
        if case .toMany(let back) = owner.links[inverse.ordinal], back.isLoaded {
          back.add(self.owner)
        }
      }
    }
  }

  /// Returns the relationships that a deletion of this object does not sever, with their known destinations.
  func standingLinks()
    -> [(relationship: RelationshipDescription, to: ContiguousArray<ManagedObject>)]
  {
    guard !owner.links.isEmpty else { return [] }
    return owner.binding.relationships.compactMap { relationship in
      guard relationship.endures else { return nil }
      switch owner.links[relationship.ordinal] {
      case .toOne(let destination): return (relationship, destination.map { [$0] } ?? [])
      case .toMany(let links) where links.isLoaded: return (relationship, links.members)
      default: return nil
      }
    }
  }
}
