// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipEditor {
  /// Adds a destination at the end, and maintains the inverse (B65, B79).
  func addDestination(_ relationship: RelationshipDescription, _ object: ManagedObject) {
    guard mayRelate(to: object, along: relationship) else { return }
    let isOneSided = owner.flags.contains(.awakening) || isOutOfReach(object, relationship)
    let inverse = isOneSided ? nil : relationship.maintainedInverse
    if let inverse, !object.related.canChangeSide(inverse) { return }
    noteLinkChange(relationship)
    guard link(relationship, object), let inverse else { return }
    object.editor.adoptOwner(inverse, owner, along: relationship)
  }

  /// Removes a destination, and maintains the inverse.
  func removeDestination(_ relationship: RelationshipDescription, _ object: ManagedObject) {
    let isOneSided = owner.flags.contains(.awakening) || isOutOfReach(object, relationship)
    let inverse = isOneSided ? nil : relationship.maintainedInverse
    if let inverse, !object.related.canChangeSide(inverse) { return }
    noteLinkChange(relationship)
    guard unlink(relationship, object), let inverse else { return }
    object.editor.unlinkInverse(inverse, owner)
  }

  /// Replaces all destinations: adds new ones, removes those left out (B68), and applies the given order.
  func setDestinations(
    _ relationship: RelationshipDescription, _ objects: ContiguousArray<ManagedObject>
  ) {
    let links = owner.related.loadedLinks(relationship)
    // After a failed read the existing destinations are unknown, and could be neither kept nor removed correctly.
    guard links.isLoaded, !owner.related.isBarred(relationship) else { return }
    if let inverse = relationship.maintainedInverse, !inverse.isToMany {
      guard objects.allSatisfy({ $0.related.canChangeSide(inverse) }),
        links.members.allSatisfy({ $0.related.canChangeSide(inverse) })
      else { return }
    }
    var kept = Set<ObjectIdentifier>(minimumCapacity: objects.count)
    var wanted = ContiguousArray<ManagedObject>()
    for object in objects where kept.insert(ObjectIdentifier(object)).inserted {
      guard links.contains(object) == true || mayRelate(to: object, along: relationship) else {
        return
      }
      wanted.append(object)
    }
    noteLinkChange(relationship)
    // From last to first: emptying an ordered relationship moves none.
    for object in links.members.reversed() where !kept.contains(ObjectIdentifier(object)) {
      removeDestination(relationship, object)
    }
    for object in wanted where links.contains(object) != true {
      addDestination(relationship, object)
    }
    if relationship.isOrdered { reorder(relationship, wanted) }
  }

  /// Sets the owner on the to-one side of a destination that `owner` has added.
  private func adoptOwner(
    _ inverse: RelationshipDescription, _ owner: ManagedObject,
    along relationship: RelationshipDescription
  ) {
    if inverse.isToMany {
      if link(inverse, owner) { noteLinkChange(inverse) }
      return
    }
    // A new destination leaves its previous owner (B66).
    let previous = self.owner.related.destination(inverse.ordinal)
    guard previous !== owner else { return }
    point(inverse.ordinal, at: owner, insteadOf: previous)
    noteLinkChange(inverse)
    if let previous, previous.editor.unlink(relationship, self.owner) {
      previous.editor.noteLinkChange(relationship)
    }
  }
}
