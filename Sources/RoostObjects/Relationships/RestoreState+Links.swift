// SPDX-License-Identifier: Apache-2.0

import RoostModel

// An object that forgets its changes takes them out of the other side as well (B46): what was related through it is so
// no longer, and what was unrelated is related again.
extension RestoreState {
  /// Undoes, on the other sides, what was changed in this object's relationships since the last fetch or save.
  ///
  /// - Returns: The destinations that point at another object by now: they stay there, and are none of this object's.
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

  /// Removes an object from what is known of a relationship; it was put there by a change that is taken back.
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

  /// Puts an object back into what is known of a relationship; a change that is taken back had removed it.
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

  /// Lets a to-one relationship lead where its record does.
  private func returnToCommitted(_ relationship: RelationshipDescription) {
    let id = owner.values.committedDestination(relationship)
    owner.links[relationship.ordinal] = .toOne(id.flatMap { owner.context?.object(with: $0) })
  }
}
