// SPDX-License-Identifier: Apache-2.0

import RoostModel

// To-many relationships.
extension ManagedObject {
  /// What is known of a to-many relationship, loaded or not.
  final func toManyLinks(_ relationship: RelationshipDescription) -> ToManyLinks {
    if !linkTable.isEmpty, case .toMany(let known) = linkTable[relationship.ordinal] {
      return known
    }
    if contextReference == nil { requireContext(toRead: relationship) }
    // An object without a record has no destinations but those that it is given.
    let result = ToManyLinks(
      isLoaded: context == nil || !isKnownBelow || flags.contains(.inserted)
        || relationship.isTransient && context?.parentContext == nil,
      isOrdered: relationship.isOrdered)
    setLink(.toMany(result), relationship.ordinal)
    return result
  }

  /// The relationship with its destinations loaded; as it is, when they cannot be had.
  final func loadedLinks(_ relationship: RelationshipDescription) -> ToManyLinks {
    let links = toManyLinks(relationship)
    if !links.isLoaded { context?.loadDestinations(of: relationship, for: self) }
    return links
  }

  /// The destinations of a to-many relationship, in order.
  final func destinations(_ relationship: RelationshipDescription)
    -> ContiguousArray<ManagedObject>
  {
    loadedLinks(relationship).members
  }

  /// Adds a destination at the end, and keeps the inverse (B65, B79).
  final func addDestination(_ relationship: RelationshipDescription, _ object: ManagedObject) {
    guard mayRelate(to: object, along: relationship) else { return }
    let inverse = flags.contains(.awakening) ? nil : relationship.maintainedInverse
    if let inverse, !object.canChangeSide(inverse) { return }
    noteLinkChange(relationship)
    guard link(relationship, object), let inverse else { return }
    object.adoptOwner(inverse, self, along: relationship)
  }

  /// Removes a destination, and keeps the inverse.
  final func removeDestination(_ relationship: RelationshipDescription, _ object: ManagedObject) {
    let inverse = flags.contains(.awakening) ? nil : relationship.maintainedInverse
    if let inverse, !object.canChangeSide(inverse) { return }
    noteLinkChange(relationship)
    guard unlink(relationship, object), let inverse else { return }
    object.unlinkInverse(inverse, self)
  }

  /// Replaces all destinations: relates the new ones, unrelates those that are left out (B68), keeps the given order.
  final func setDestinations(
    _ relationship: RelationshipDescription, _ objects: ContiguousArray<ManagedObject>
  ) {
    let links = loadedLinks(relationship)
    // What is there and could not be read would be kept, or removed, on the strength of nothing.
    guard links.isLoaded, !isBarred(relationship) else { return }
    if let inverse = relationship.maintainedInverse, !inverse.isToMany {
      guard objects.allSatisfy({ $0.canChangeSide(inverse) }),
        links.members.allSatisfy({ $0.canChangeSide(inverse) })
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
    // The last one first: an ordered relationship that is emptied has none to move up.
    for object in links.members.reversed() where !kept.contains(ObjectIdentifier(object)) {
      removeDestination(relationship, object)
    }
    for object in wanted where links.contains(object) != true {
      addDestination(relationship, object)
    }
    if relationship.isOrdered { reorder(relationship, wanted) }
  }

  /// Records on a destination that `owner` points at it through a to-many relationship now.
  private final func adoptOwner(
    _ inverse: RelationshipDescription, _ owner: ManagedObject,
    along relationship: RelationshipDescription
  ) {
    if inverse.isToMany {
      if link(inverse, owner) { noteLinkChange(inverse) }
      return
    }
    // A new destination leaves its previous owner (B66).
    let previous = destination(inverse.ordinal)
    guard previous !== owner else { return }
    point(inverse.ordinal, at: owner, insteadOf: previous)
    noteLinkChange(inverse)
    if let previous, previous.unlink(relationship, self) {
      previous.noteLinkChange(relationship)
    }
  }
}
