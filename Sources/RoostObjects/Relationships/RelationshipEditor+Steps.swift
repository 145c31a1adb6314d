// SPDX-License-Identifier: Apache-2.0

import RoostModel

// All changes of relationships consist of these steps, so that undo can reverse them. Each changes one side only.
extension RelationshipEditor {
  /// Sets the destination of a to-one relationship.
  func point(_ ordinal: Int, at new: ManagedObject?, insteadOf old: ManagedObject?) {
    owner.values.keepEarlierDestinations(ordinal)
    if isRecording { record(.pointed(owner, ordinal, old)) }
    owner.editor.setLink(.toOne(new), ordinal)
  }

  /// Adds a destination to a to-many relationship, at the end. Returns whether that changed anything.
  ///
  /// - Parameter isFirst: Whether the object was never a destination of the relationship, of any owner.
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

  /// Removes a destination from a to-many relationship. Returns whether that changed anything.
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

  /// Reverses an addition. Before the destinations are loaded, it restores the earlier pending state.
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

  /// Reverses a removal. Returns whether the object is now last among the loaded destinations.
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

  /// Reorders the destinations of an ordered relationship, which stay the same objects.
  func reorder(
    _ relationship: RelationshipDescription, _ objects: ContiguousArray<ManagedObject>
  ) {
    owner.values.keepEarlierDestinations(relationship.ordinal)
    let links = owner.related.toManyLinks(relationship)
    let old = links.members
    links.reorder(objects)
    if isRecording { record(.ordered(owner, relationship.ordinal, old)) }
  }

  /// Moves destinations that are related again to where they are stored, behind the stored ones before them.
  func returnToStoredPlaces(
    _ objects: [ManagedObject], in relationship: RelationshipDescription
  ) {
    let links = owner.related.toManyLinks(relationship)
    guard links.isLoaded else { return }
    reorder(relationship, links.membersReturning(objects))
    links.forgetStoredOrder()
  }

  /// Whether steps are recorded for undo.
  @inline(__always) private var isRecording: Bool {
    owner.recordsUndo && !owner.flags.contains(.awakening)
  }

  private func record(_ step: LinkStep) {
    owner.context?.changes.steps.append(step)
  }
}
