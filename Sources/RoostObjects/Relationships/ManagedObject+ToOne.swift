// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

// To-one relationships. The destination is kept once it was asked for; before that the row's slot knows its key.
extension ManagedObject {
  /// The destination of a to-one relationship.
  final func destination(_ ordinal: Int) -> ManagedObject? {
    if Int(soleOrdinal) == ordinal { return soleDestination }
    if !linkTable.isEmpty, case .toOne(let object) = linkTable[ordinal] { return object }
    return loadDestination(ordinal)
  }

  @inline(never)
  private final func loadDestination(_ ordinal: Int) -> ManagedObject? {
    guard let slot = binding.referenceSlots[ordinal] else {
      _ = fire()
      do throws(PersistenceError) {
        return try readTransientDestination(ordinal)
      } catch {
        context?.noteReadFailure(error, of: [identity])
        return nil
      }
    }
    if memory == nil, row == nil, let partial = partialRow(having: slot) {
      guard let context, let key = partial.reference(slot) else { return nil }
      let object = context.object(forKey: key, of: ordinal, from: self)
      keepDestination(object, ordinal)
      return object
    }
    guard let memory = memory ?? fire() else { return nil }
    let isNull = RowMemory.isNull(memory, slot)
    guard let contextReference else {
      if !isNull || changedLinks.contains(ordinal) {
        requireContext(toRead: binding.relationships[ordinal])
      }
      return nil
    }
    if isNull { return nil }
    // The context clears the reference before it goes away.
    let object = contextReference._withUnsafeGuaranteedRef {
      $0.object(forKey: RowMemory.load(memory, slot), of: ordinal, from: self)
    }
    keepDestination(object, ordinal)
    return object
  }

  /// A transient destination, which no row has: a parent's object may know one.
  final func readTransientDestination(_ ordinal: Int) throws(PersistenceError) -> ManagedObject? {
    guard let context, context.parentContext != nil, isKnownBelow, !flags.contains(.inserted)
    else { return nil }
    let relationship = binding.relationships[ordinal]
    do {
      let found = try context.source().destinations(of: relationship, for: [identity])
      context.learnPermanentIDs()
      let object = found.ids.first.map { context.object(with: $0) }
      setLink(.toOne(object), ordinal)
      return object
    } catch {
      throw PersistenceError.wrapping(error)
    }
  }

  /// Sets the destination and keeps the inverse (B65 to B67).
  final func setDestination(_ relationship: RelationshipDescription, _ new: ManagedObject?) {
    guard memory != nil || fire() != nil, !isBarred else { return }
    if flags.contains(.awakening) {
      setLink(.toOne(new), relationship.ordinal)
      return
    }
    let ordinal = relationship.ordinal
    let old = destination(ordinal)
    guard old === new || mayRelate(to: new, along: relationship) else { return }
    if old !== new, let inverse = relationship.maintainedInverse, !inverse.leadsToMany {
      // Nothing is changed when one of the sides cannot be read.
      guard old?.canChangeSide(inverse) ?? true, new?.canChangeSide(inverse) ?? true else { return }
    }
    // What was never saved nor related along the relationship is nobody's destination yet.
    let isFirst =
      old == nil && flags.contains(.inserted) && identity.isTemporaryID
      && !changedLinks.contains(ordinal)
    noteLinkChange(relationship)
    guard old !== new else { return }
    point(ordinal, at: new, insteadOf: old)
    guard let inverse = relationship.maintainedInverse else { return }
    old?.unlinkInverse(inverse, self)
    new?.linkInverse(inverse, self, isFirst: isFirst)
  }

  /// Records on this side that `source` points here now.
  ///
  /// - Parameter isFirst: Whether it pointed nowhere ever before.
  private final func linkInverse(
    _ inverse: RelationshipDescription, _ source: ManagedObject, isFirst: Bool
  ) {
    if inverse.leadsToMany {
      if link(inverse, source, isFirst: isFirst) { noteLinkChange(inverse) }
      return
    }
    let previous = destination(inverse.ordinal)
    guard previous !== source else { return }
    point(inverse.ordinal, at: source, insteadOf: previous)
    noteLinkChange(inverse)
    // A stolen destination: its previous owner is left with nothing (B67).
    if let previous, let forward = inverse.maintainedInverse, !forward.leadsToMany {
      previous.point(forward.ordinal, at: nil, insteadOf: self)
      previous.noteLinkChange(forward)
    }
  }

  /// Records on this side that `source` does not point here any more.
  final func unlinkInverse(_ inverse: RelationshipDescription, _ source: ManagedObject) {
    if inverse.leadsToMany {
      if unlink(inverse, source) { noteLinkChange(inverse) }
    } else if destination(inverse.ordinal) === source {
      point(inverse.ordinal, at: nil, insteadOf: source)
      noteLinkChange(inverse)
    }
  }

  /// Notes that a relationship was set here, or through its inverse (B69).
  final func noteLinkChange(_ relationship: RelationshipDescription) {
    guard !flags.contains(.awakening), !binding.ignoresChange(of: relationship) else { return }
    if isObserved { tellWillChange(relationship.name) }
    noteChange()
    changedLinks.insert(relationship.ordinal)
    if flags.contains(.hasEarlierChanges) {
      context?.changes.event.note(link: relationship.ordinal, of: self)
    }
  }

  /// Whether both objects live in one context (B31), the destination is of the right entity (B72), and its deletion has
  /// not taken effect: nobody would end the relationship again. If not, the relationship stays as it is and the next
  /// save says why.
  final func mayRelate(to object: ManagedObject?, along relationship: RelationshipDescription)
    -> Bool
  {
    guard let object else { return true }
    if object.contextReference?.toOpaque() == contextReference?.toOpaque(),
      object.flags.isDisjoint(with: [.gone, .propagated]),
      object.binding.identity == binding.destinations[relationship.ordinal]
    {
      return true
    }
    let reason: PersistenceError
    if object.context !== context || !object.flags.isDisjoint(with: [.gone, .propagated]) {
      reason = PersistenceError(
        .differentContexts, "Objects of two contexts, or deleted ones, cannot be related.",
        entityName: entity.name, key: relationship.name, objectIDs: [identity, object.identity])
    } else if let wanted = relationship.fixedDestination, !object.entity.isKindOf(entity: wanted) {
      reason = PersistenceError(
        .invalidValue, "The destination is of another entity than the relationship's.",
        entityName: entity.name, key: relationship.name, objectIDs: [identity, object.identity])
    } else {
      return true
    }
    (context ?? object.context)?.refuse(reason)
    return false
  }
}
