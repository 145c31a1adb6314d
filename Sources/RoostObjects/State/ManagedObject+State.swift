// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// The state of an object. None of these properties fires a fault (B34).
extension ManagedObject {
  /// The identity of the object: temporary until its first save, permanent and immutable afterwards.
  public final var objectID: ObjectID {
    // An object of a child context learns here that its root context was saved (B207).
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
  /// An object does not retain its context. Without it, values that were read stay as they are; reading a fault or a
  /// relationship ends the program with a message, since the value cannot be read. A change is kept in the object and
  /// never saved, and ends the program in a debug build.
  public final var managedObjectContext: ManagedObjectContext? { context }

  /// Whether the object will be written as a new record by the next save.
  public final var isInserted: Bool { flags.contains(.inserted) }

  /// Whether a property was set since the last fetch or save, even to an equal value.
  public final var isUpdated: Bool { flags.contains(.updated) }

  /// Whether the object will be deleted by the next save. A never-saved object counts as deleted until the end of the
  /// event, when the context forgets it.
  public final var isDeleted: Bool { flags.contains(.deleted) || context != nil && isLeaving }

  /// Whether the values are still to be read.
  public final var isFault: Bool { memory == nil }

  /// 0 when the values are read, nonzero for a fault.
  public final var faultingState: Int { memory == nil ? 1 : 0 }

  /// Whether the object was inserted, deleted, or had a property set.
  public final var hasChanges: Bool { !flags.isDisjoint(with: .changed) }

  /// Whether a persistent property differs from its record.
  ///
  /// - Complexity: O(changed properties), no query.
  public final var hasPersistentChangedValues: Bool {
    flags.contains(.inserted) || flags.contains(.deleted) || !values.changedStoredSlots().isEmpty
      || !values.changedRelationships().isEmpty
  }

  /// Returns whether a relationship's destinations are still to be read. Fires no fault.
  ///
  /// - Parameter key: The name of a relationship.
  public final func hasFault(forRelationshipNamed key: String) -> Bool {
    guard let relationship = binding.relationship(named: key) else { return false }
    return related.hasUnloaded(relationship)
  }

  /// Whether the level below has the object: a record, or an unsaved object of the parent.
  final var isKnownBelow: Bool {
    if !identity.isTemporaryID { return true }
    guard context?.parentContext != nil else { return false }
    return !flags.contains(.inserted) && (row == nil || snapshot != nil)
  }

  /// Whether the object is deleted: it has the flag, or it was never saved and will not be (B89).
  final var isLeaving: Bool {
    flags.contains(.deleted) || row != nil && snapshot == nil && !flags.contains(.inserted)
  }
}

extension ManagedObject: Hashable {
  /// Whether two variables hold the same object: a context has one object for each record.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool {
    left === right
  }

  public final func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// The hash that sets and dictionaries use: computed directly from the address, without a `Hasher`.
  public final func _rawHashValue(seed: Int) -> Int {
    Int(bitPattern: ObjectIdentifier(self))._rawHashValue(seed: seed)
  }
}

extension ManagedObject: CustomStringConvertible, CustomDebugStringConvertible {}
