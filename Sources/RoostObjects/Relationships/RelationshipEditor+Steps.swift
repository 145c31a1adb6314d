// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Every change of a relationship goes through these, so that an undo can go back. They change one side only.
extension RelationshipEditor {
  /// Points a to-one relationship at another object.
  func point(_ ordinal: Int, at new: ManagedObject?, insteadOf old: ManagedObject?) {
    owner.values.keepEarlierDestinations(ordinal)
    if isRecording { record(.pointed(owner, ordinal, old)) }
    owner.editor.setLink(.toOne(new), ordinal)
  }

  /// Gives a to-many relationship a destination, at the end. Returns whether that changed anything.
  ///
  /// - Parameter isFirst: Whether the object was never a destination of anything along the relationship.
  func link(
    _ relationship: RelationshipDescription, _ object: ManagedObject, isFirst: Bool = false
  ) -> Bool {
    owner.values.keepEarlierDestinations(relationship.ordinal)
    let links = owner.related.toManyLinks(relationship)
    if isFirst {
      guard links.addFirst(object) else { return false }
      if isRecording { record(.added(owner, relationship.ordinal, object, wasRemoved: false)) }
      return true
    }
    let wasRemoved = links.isRemoved(object)
    guard links.add(object) else { return false }
    if isRecording { record(.added(owner, relationship.ordinal, object, wasRemoved: wasRemoved)) }
    return true
  }

  /// Takes a destination from a to-many relationship. Returns whether that changed anything.
  func unlink(_ relationship: RelationshipDescription, _ object: ManagedObject) -> Bool {
    owner.values.keepEarlierDestinations(relationship.ordinal)
    let links = owner.related.toManyLinks(relationship)
    let isRecorded = owner.context?.changes.isRecording ?? false
    let place =
      isRecorded && relationship.isOrdered && links.isLoaded ? links.index(of: object) : nil
    let wasAdded = links.isAdded(object)
    guard links.remove(object) else { return false }
    if isRecording {
      record(.removed(owner, relationship.ordinal, object, place, wasAdded: wasAdded))
    }
    return true
  }

  /// Takes back that a destination was added. Where the others are not known, what is pending becomes what it was.
  func takeBackAddition(
    of object: ManagedObject, to relationship: RelationshipDescription, wasRemoved: Bool
  ) {
    let links = owner.related.toManyLinks(relationship)
    guard !links.isLoaded, links.isAdded(object) else {
      _ = unlink(relationship, object)
      return
    }
    links.setPending(object, isAdded: false, isRemoved: wasRemoved)
    if isRecording { record(.removed(owner, relationship.ordinal, object, nil, wasAdded: true)) }
  }

  /// Takes back that a destination was removed. Returns whether it is at the end of the others, which are known.
  func takeBackRemoval(
    of object: ManagedObject, from relationship: RelationshipDescription, wasAdded: Bool
  ) -> Bool {
    let links = owner.related.toManyLinks(relationship)
    guard !links.isLoaded, links.removed[ObjectIdentifier(object)] != nil else {
      return link(relationship, object) && links.isLoaded
    }
    links.setPending(object, isAdded: wasAdded, isRemoved: false)
    if isRecording { record(.added(owner, relationship.ordinal, object, wasRemoved: true)) }
    return false
  }

  /// Puts the destinations of an ordered relationship, which are the same objects, into another order.
  func reorder(
    _ relationship: RelationshipDescription, _ objects: ContiguousArray<ManagedObject>
  ) {
    owner.values.keepEarlierDestinations(relationship.ordinal)
    let links = owner.related.toManyLinks(relationship)
    let old = links.members
    links.reorder(objects)
    if isRecording { record(.ordered(owner, relationship.ordinal, old)) }
  }

  /// Whether steps are kept, so that an undo can go back.
  @inline(__always) private var isRecording: Bool {
    owner.recordsUndo && !owner.flags.contains(.awakening)
  }

  private func record(_ step: LinkStep) {
    owner.context?.changes.steps.append(step)
  }
}
