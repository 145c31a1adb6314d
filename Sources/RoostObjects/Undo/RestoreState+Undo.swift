// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RestoreState {
  /// The relationships of an object that is written anew: those that its deletion ended lead nowhere, whatever its old
  /// row says, until the steps are taken back; the others lead where they led.
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

  /// Objects that were read while this one was deleted left it out, although its deletion had not ended their
  /// relationship: it is among them again.
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

  /// The relationships that a deletion of this object does not end, with their known destinations.
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
