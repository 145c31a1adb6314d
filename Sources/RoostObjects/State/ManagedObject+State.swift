// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// What an object says of itself. None of this fires a fault (B34).
extension ManagedObject {
  /// The identity of the object: temporary until its first save, permanent and immutable afterwards.
  public final var objectID: ObjectID {
    // An object of a child learns here that its root was saved (B207).
    if identity.isTemporaryID, identity.permanentID != nil {
      context?.upstream.learnPermanentIDs()
    }
    return identity
  }

  /// The entity of the object.
  public final var entity: EntityDescription { binding.entity }

  /// The context that knows the object; nil before it is inserted, after its deletion was saved, after a reset, and
  /// when the context is gone.
  ///
  /// An object does not keep its context. Without it, values that were read stay as they are; reading a fault or a
  /// relationship ends the program with a sentence, for there is no value to be had. A change is kept in the object and
  /// never saved, and ends the program in a debug build.
  public final var managedObjectContext: ManagedObjectContext? { context }

  /// Whether the object will be written as a new record by the next save.
  public final var isInserted: Bool { flags.contains(.inserted) }

  /// Whether a property was set since the last fetch or save, even to an equal value.
  public final var isUpdated: Bool { flags.contains(.updated) }

  /// Whether the object will be deleted by the next save. One that was never saved is deleted until the end of
  /// the event, when the context forgets it.
  public final var isDeleted: Bool { flags.contains(.deleted) || context != nil && isLeaving }

  /// Whether the values are yet to be read.
  public final var isFault: Bool { memory == nil }

  /// 0 when the values are read, another number for a fault.
  public final var faultingState: Int { memory == nil ? 1 : 0 }

  /// Whether the object was inserted, deleted, or had a property set.
  public final var hasChanges: Bool { !flags.isDisjoint(with: .changed) }

  /// Whether a persistent property has another value than its record.
  ///
  /// - Complexity: O(changed properties), no query.
  public final var hasPersistentChangedValues: Bool {
    flags.contains(.inserted) || flags.contains(.deleted) || !values.changedStoredSlots().isEmpty
      || !values.changedRelationships().isEmpty
  }

  /// Returns whether a relationship's destinations are yet to be found. Fires no fault.
  ///
  /// - Parameter key: The name of a relationship.
  public final func hasFault(forRelationshipNamed key: String) -> Bool {
    guard let relationship = binding.relationship(named: key) else { return false }
    return related.hasUnloaded(relationship)
  }

  /// Whether there is something below the context that can be read: a record, or an unsaved object of the parent.
  final var isKnownBelow: Bool {
    if !identity.isTemporaryID { return true }
    guard context?.parentContext != nil else { return false }
    return !flags.contains(.inserted) && (row == nil || snapshot != nil)
  }

  /// Whether the object was deleted already: it has the mark, or it was never saved and will not be (B89).
  final var isLeaving: Bool {
    flags.contains(.deleted) || row != nil && snapshot == nil && !flags.contains(.inserted)
  }
}

extension ManagedObject: Hashable {
  /// Whether two variables hold the same object: in one context there is one object a record.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool {
    left === right
  }

  public final func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// What sets and dictionaries ask for: the hash of one number, at once, and not by way of a hasher.
  public final func _rawHashValue(seed: Int) -> Int {
    Int(bitPattern: ObjectIdentifier(self))._rawHashValue(seed: seed)
  }
}

extension ManagedObject: CustomStringConvertible, CustomDebugStringConvertible {}
