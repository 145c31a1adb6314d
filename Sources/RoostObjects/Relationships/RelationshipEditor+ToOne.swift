// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipEditor {
  /// Sets the destination and maintains the inverse (B65 to B67).
  func setDestination(_ relationship: RelationshipDescription, _ new: ManagedObject?) {
    guard owner.memory != nil || owner.fire() != nil, !owner.related.isBarred else { return }
    if owner.flags.contains(.awakening) {
      owner.editor.setLink(.toOne(new), relationship.ordinal)
      return
    }
    let ordinal = relationship.ordinal
    let old = owner.related.destination(ordinal)
    guard old === new || mayRelate(to: new, along: relationship) else { return }
    // An unreachable destination keeps its side, which can be neither read nor written.
    let (left, joined) = (reachable(old, relationship), reachable(new, relationship))
    if old !== new, let inverse = relationship.maintainedInverse, !inverse.leadsToMany {
      // Nothing is changed when one of the sides cannot be read.
      guard left?.related.canChangeSide(inverse) ?? true,
        joined?.related.canChangeSide(inverse) ?? true
      else { return }
    }
    // A never-saved object without earlier destinations is not among the destinations of any inverse yet.
    let isFirst =
      old == nil && owner.flags.contains(.inserted) && owner.identity.isTemporaryID
      && !owner.changedLinks.contains(ordinal)
    noteLinkChange(relationship)
    guard old !== new else { return }
    point(ordinal, at: new, insteadOf: old)
    guard let inverse = relationship.maintainedInverse else { return }
    // An object that was its own partner has no other side, and points at the new partner already.
    if left !== owner || inverse !== relationship { left?.editor.unlinkInverse(inverse, owner) }
    joined?.editor.linkInverse(inverse, owner, isFirst: isFirst)
  }

  /// Adds `source` on this side of the relationship.
  ///
  /// - Parameter isFirst: Whether it had no destination before.
  private func linkInverse(
    _ inverse: RelationshipDescription, _ source: ManagedObject, isFirst: Bool
  ) {
    if inverse.leadsToMany {
      if link(inverse, source, isFirst: isFirst) { noteLinkChange(inverse) }
      return
    }
    let previous = owner.related.destination(inverse.ordinal)
    guard previous !== source else { return }
    point(inverse.ordinal, at: source, insteadOf: previous)
    noteLinkChange(inverse)
    // The destination is taken from its previous owner, which has none then (B67).
    if let previous, let forward = inverse.maintainedInverse, !forward.leadsToMany {
      // It was its own partner: its one side points at the new partner now.
      guard previous !== owner || forward !== inverse else { return }
      previous.editor.point(forward.ordinal, at: nil, insteadOf: owner)
      previous.editor.noteLinkChange(forward)
    }
  }

  /// Removes `source` on this side of the relationship.
  func unlinkInverse(_ inverse: RelationshipDescription, _ source: ManagedObject) {
    if inverse.leadsToMany {
      if unlink(inverse, source) { noteLinkChange(inverse) }
      return
    }
    if owner.related.destination(inverse.ordinal) !== source { bringUpToDate(inverse) }
    guard owner.related.destination(inverse.ordinal) === source else { return }
    point(inverse.ordinal, at: nil, insteadOf: source)
    noteLinkChange(inverse)
  }

  /// Reads the record of an object that another writer has moved, when the other side of the relationship was read
  /// after that and this side before: otherwise the change would be made on one side only, and not be saved.
  ///
  /// An object with unsaved changes stays based on the version that they were made on, and gives up the destination
  /// that it knows: its save is a conflict.
  private func bringUpToDate(_ inverse: RelationshipDescription) {
    guard !owner.flags.contains(.inserted), owner.isKnownBelow else { return }
    guard owner.hasChanges else {
      owner.context?.loader.readAgain(owner)
      return
    }
    setDestination(inverse, nil)
  }

  /// Whether a destination is a record of another store that is not attached: the other side can be neither read nor
  /// written, and stays unchanged (X45).
  func isOutOfReach(_ destination: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
    guard relationship.leadsAcrossStores, let context = owner.context else { return false }
    return !context.loader.isReachable(destination.identity)
  }

  private func reachable(
    _ destination: ManagedObject?, _ relationship: RelationshipDescription
  ) -> ManagedObject? {
    guard relationship.leadsAcrossStores, let destination else { return destination }
    return isOutOfReach(destination, relationship) ? nil : destination
  }

  /// Records that a relationship was set on this side, or through its inverse (B69).
  func noteLinkChange(_ relationship: RelationshipDescription) {
    guard !owner.flags.contains(.awakening), !owner.binding.ignoresChange(of: relationship) else {
      return
    }
    if owner.isObserved { owner.observers.tellWillChange(relationship.name) }
    owner.noteChange()
    owner.changedLinks.insert(relationship.ordinal)
    if owner.flags.contains(.hasEarlierChanges) {
      owner.context?.changes.event.note(link: relationship.ordinal, of: owner)
    }
  }

  /// Whether both objects are in one context (B31), the destination has the right entity (B72), and its deletion has
  /// not been propagated, after which nothing would sever the relationship again. If not, the relationship stays as
  /// it is and the next save throws the reason.
  func mayRelate(to object: ManagedObject?, along relationship: RelationshipDescription)
    -> Bool
  {
    guard let object else { return true }
    if object.contextReference?.toOpaque() == owner.contextReference?.toOpaque(),
      object.flags.isDisjoint(with: [.gone, .propagated]),
      object.binding.identity == owner.binding.destinations[relationship.ordinal]
    {
      return true
    }
    let reason: PersistenceError
    if object.context !== owner.context || !object.flags.isDisjoint(with: [.gone, .propagated]) {
      reason = PersistenceError(
        .differentContexts, "Objects of two contexts, or deleted ones, cannot be related.",
        entityName: owner.entity.name, key: relationship.name,
        objectIDs: [owner.identity, object.identity])
    } else if let wanted = relationship.fixedDestination, !object.entity.isKindOf(entity: wanted) {
      reason = PersistenceError(
        .invalidValue, "The destination is of another entity than the relationship's.",
        entityName: owner.entity.name, key: relationship.name,
        objectIDs: [owner.identity, object.identity])
    } else {
      return true
    }
    (owner.context ?? object.context)?.readErrors.refuse(reason)
    return false
  }
}
