// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// One step in which a relationship was changed, on one of its sides: what an undo goes back.
enum LinkStep {
  /// A to-one relationship pointed at another object before.
  case pointed(ManagedObject, Int, ManagedObject?)
  /// A to-many relationship got a destination, which may have been removed before.
  case added(ManagedObject, Int, ManagedObject, wasRemoved: Bool)
  /// A to-many relationship lost a destination, which stood at a place where there is an order, and may have been added
  /// before.
  case removed(ManagedObject, Int, ManagedObject, Int?, wasAdded: Bool)
  /// An ordered relationship had its destinations in another order.
  case ordered(ManagedObject, Int, ContiguousArray<ManagedObject>)

  /// Whose relationship it is, and its ordinal.
  var place: (owner: ManagedObject, ordinal: Int) {
    switch self {
    case .pointed(let owner, let ordinal, _), .added(let owner, let ordinal, _, _),
      .removed(let owner, let ordinal, _, _, _), .ordered(let owner, let ordinal, _):
      (owner, ordinal)
    }
  }

  /// Whether one of the objects is the owner or the destination.
  func concerns(_ objects: Set<ObjectIdentifier>) -> Bool {
    if objects.contains(ObjectIdentifier(place.owner)) { return true }
    switch self {
    case .added(_, _, let object, _), .removed(_, _, let object, _, _), .pointed(_, _, let object?):
      return objects.contains(ObjectIdentifier(object))
    default: return false
    }
  }
}

// Every change of a relationship goes through these, so that an undo can go back. They change one side only.
extension ManagedObject {
  /// Points a to-one relationship at another object.
  final func point(_ ordinal: Int, at new: ManagedObject?, insteadOf old: ManagedObject?) {
    keepEarlierDestinations(ordinal)
    record { .pointed(self, ordinal, old) }
    setLink(.toOne(new), ordinal)
  }

  /// Gives a to-many relationship a destination, at the end. Returns whether that changed anything.
  ///
  /// - Parameter isFirst: Whether the object was never a destination of anything along the relationship.
  final func link(
    _ relationship: RelationshipDescription, _ object: ManagedObject, isFirst: Bool = false
  ) -> Bool {
    keepEarlierDestinations(relationship.ordinal)
    let links = toManyLinks(relationship)
    if isFirst {
      guard links.addFirst(object) else { return false }
      record { .added(self, relationship.ordinal, object, wasRemoved: false) }
      return true
    }
    let wasRemoved = links.isRemoved(object)
    guard links.add(object) else { return false }
    record { .added(self, relationship.ordinal, object, wasRemoved: wasRemoved) }
    return true
  }

  /// Takes a destination from a to-many relationship. Returns whether that changed anything.
  final func unlink(_ relationship: RelationshipDescription, _ object: ManagedObject) -> Bool {
    keepEarlierDestinations(relationship.ordinal)
    let links = toManyLinks(relationship)
    let isRecorded = context?.changes.isRecording ?? false
    let place =
      isRecorded && relationship.isOrdered && links.isLoaded ? links.index(of: object) : nil
    let wasAdded = links.isAdded(object)
    guard links.remove(object) else { return false }
    record { .removed(self, relationship.ordinal, object, place, wasAdded: wasAdded) }
    return true
  }

  /// Takes back that a destination was added. Where the others are not known, what is pending becomes what it was.
  final func takeBackAddition(
    of object: ManagedObject, to relationship: RelationshipDescription, wasRemoved: Bool
  ) {
    let links = toManyLinks(relationship)
    guard !links.isLoaded, links.isAdded(object) else {
      _ = unlink(relationship, object)
      return
    }
    links.setPending(object, isAdded: false, isRemoved: wasRemoved)
    record { .removed(self, relationship.ordinal, object, nil, wasAdded: true) }
  }

  /// Takes back that a destination was removed. Returns whether it is at the end of the others, which are known.
  final func takeBackRemoval(
    of object: ManagedObject, from relationship: RelationshipDescription, wasAdded: Bool
  ) -> Bool {
    let links = toManyLinks(relationship)
    guard !links.isLoaded, links.removed[ObjectIdentifier(object)] != nil else {
      return link(relationship, object) && links.isLoaded
    }
    links.setPending(object, isAdded: wasAdded, isRemoved: false)
    record { .added(self, relationship.ordinal, object, wasRemoved: true) }
    return false
  }

  /// Puts the destinations of an ordered relationship, which are the same objects, into another order.
  final func reorder(
    _ relationship: RelationshipDescription, _ objects: ContiguousArray<ManagedObject>
  ) {
    keepEarlierDestinations(relationship.ordinal)
    let links = toManyLinks(relationship)
    let old = links.members
    links.reorder(objects)
    record { .ordered(self, relationship.ordinal, old) }
  }

  private final func record(_ step: () -> LinkStep) {
    guard recordsUndo, !flags.contains(.awakening) else { return }
    context?.changes.steps.append(step())
  }
}
