// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Discarding an object's relationship changes also reverts the other sides (B46): added destinations are unrelated
// again, and removed ones are related again.
extension RestoreState {
  /// Reverts, on the other sides, the changes of this object's relationships since the last fetch or save.
  ///
  /// - Returns: The destinations that have another owner by now: they stay with it, and are no longer related to this
  ///   object.
  func takeBackLinks() -> [(RelationshipDescription, ManagedObject)] {
    guard !owner.links.isEmpty, !owner.changedLinks.isEmpty else { return [] }
    var elsewhere: [(RelationshipDescription, ManagedObject)] = []
    for relationship in owner.binding.relationships
    where owner.changedLinks.contains(relationship.ordinal) && !relationship.isTransient {
      guard let inverse = relationship.maintainedInverse else { continue }
      switch owner.links[relationship.ordinal] {
      case .unloaded: break
      case .toOne(let current):
        let before = owner.values.committedDestination(relationship).flatMap {
          owner.context?.registeredObject(for: $0)
        }
        guard current !== before else { continue }
        current?.restoring.lose(owner, from: inverse)
        before?.restoring.regain(owner, in: inverse)
      case .toMany(let known):
        for object in known.added { object.restoring.lose(owner, from: inverse) }
        for object in known.removed.values {
          object.restoring.regain(owner, in: inverse)
          if object.restoring.pointsElsewhere(inverse, than: owner) {
            elsewhere.append((relationship, object))
          }
        }
      }
    }
    return elsewhere
  }

  private func pointsElsewhere(
    _ relationship: RelationshipDescription, than owner: ManagedObject
  ) -> Bool {
    guard !self.owner.links.isEmpty,
      case .toOne(let current?) = self.owner.links[relationship.ordinal]
    else {
      return false
    }
    return current !== owner
  }

  /// Removes an object from the state of a relationship, after the change that added it was reverted.
  private func lose(_ object: ManagedObject, from relationship: RelationshipDescription) {
    guard !owner.links.isEmpty else { return }
    switch owner.links[relationship.ordinal] {
    case .unloaded: break
    case .toOne(let current):
      if current === object { returnToCommitted(relationship) }
    case .toMany(let known):
      if known.isAdded(object) { known.remove(object) }
    }
  }

  /// Adds an object to the state of a relationship again, after the change that removed it was reverted.
  private func regain(_ object: ManagedObject, in relationship: RelationshipDescription) {
    guard !owner.links.isEmpty else { return }
    switch owner.links[relationship.ordinal] {
    case .unloaded: break
    case .toOne(let current):
      if current == nil { returnToCommitted(relationship) }
    case .toMany(let known):
      guard known.removed[ObjectIdentifier(object)] != nil else { return }
      known.takeBackRemoval(of: object)
    }
  }

  /// Resets a to-one relationship to the destination in the record.
  private func returnToCommitted(_ relationship: RelationshipDescription) {
    let id = owner.values.committedDestination(relationship)
    owner.links[relationship.ordinal] = .toOne(id.flatMap { owner.context?.object(with: $0) })
  }
}
