// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipEditor {
  /// Sets the destination and keeps the inverse (B65 to B67).
  func setDestination(_ relationship: RelationshipDescription, _ new: ManagedObject?) {
    guard owner.memory != nil || owner.fire() != nil, !owner.related.isBarred else { return }
    if owner.flags.contains(.awakening) {
      owner.editor.setLink(.toOne(new), relationship.ordinal)
      return
    }
    let ordinal = relationship.ordinal
    let old = owner.related.destination(ordinal)
    guard old === new || mayRelate(to: new, along: relationship) else { return }
    // Who cannot be reached keeps its side: nobody could read or write it.
    let (left, joined) = (reachable(old, relationship), reachable(new, relationship))
    if old !== new, let inverse = relationship.maintainedInverse, !inverse.leadsToMany {
      // Nothing is changed when one of the sides cannot be read.
      guard left?.related.canChangeSide(inverse) ?? true,
        joined?.related.canChangeSide(inverse) ?? true
      else { return }
    }
    // What was never saved nor related along the relationship is nobody's destination yet.
    let isFirst =
      old == nil && owner.flags.contains(.inserted) && owner.identity.isTemporaryID
      && !owner.changedLinks.contains(ordinal)
    noteLinkChange(relationship)
    guard old !== new else { return }
    point(ordinal, at: new, insteadOf: old)
    guard let inverse = relationship.maintainedInverse else { return }
    left?.editor.unlinkInverse(inverse, owner)
    joined?.editor.linkInverse(inverse, owner, isFirst: isFirst)
  }

  /// Records on this side that `source` points here now.
  ///
  /// - Parameter isFirst: Whether it pointed nowhere ever before.
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
    // A stolen destination: its previous owner is left with nothing (B67).
    if let previous, let forward = inverse.maintainedInverse, !forward.leadsToMany {
      previous.editor.point(forward.ordinal, at: nil, insteadOf: owner)
      previous.editor.noteLinkChange(forward)
    }
  }

  /// Records on this side that `source` does not point here any more.
  func unlinkInverse(_ inverse: RelationshipDescription, _ source: ManagedObject) {
    if inverse.leadsToMany {
      if unlink(inverse, source) { noteLinkChange(inverse) }
    } else if owner.related.destination(inverse.ordinal) === source {
      point(inverse.ordinal, at: nil, insteadOf: source)
      noteLinkChange(inverse)
    }
  }

  /// Whether a destination is a record of another store that is not attached: nobody can read or write the other side,
  /// and so it is left alone (X45).
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

  /// Notes that a relationship was set here, or through its inverse (B69).
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

  /// Whether both objects live in one context (B31), the destination is of the right entity (B72), and its deletion has
  /// not taken effect: nobody would end the relationship again. If not, the relationship stays as it is and the next
  /// save says why.
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
