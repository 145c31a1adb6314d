// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Reading for those who can be told what went wrong. Accessors, which cannot, call the forms that note it.
extension ManagedObject {
  /// The memory of the values, read if need be; nil when the record is gone.
  final func readMemory() throws(PersistenceError) -> UnsafeMutableRawPointer? {
    if let memory { return memory }
    guard !flags.contains(.inaccessible), let context else { return fire() }
    return try context.readFault(self)
  }

  /// The destination of a to-one relationship.
  final func readDestination(_ ordinal: Int) throws(PersistenceError) -> ManagedObject? {
    if let known = knownDestination(ordinal) { return known }
    let slot = binding.referenceSlots[ordinal]
    if memory == nil, slot.flatMap({ row == nil ? partialRow(having: $0) : nil }) == nil {
      _ = try readMemory()
    }
    if slot == nil { return try readTransientDestination(ordinal) }
    return destination(ordinal)
  }

  /// A to-many relationship with its destinations loaded.
  final func readLinks(_ relationship: RelationshipDescription) throws(PersistenceError)
    -> ToManyLinks
  {
    let links = toManyLinks(relationship)
    if !links.isLoaded, let context {
      try context.readDestinations(of: relationship, for: self)
    }
    return links
  }

  /// The destinations of any relationship as a list.
  final func readDestinations(_ relationship: RelationshipDescription) throws(PersistenceError)
    -> ContiguousArray<ManagedObject>
  {
    if relationship.isToMany { return try readLinks(relationship).members }
    return try readDestination(relationship.ordinal).map { [$0] } ?? []
  }

  /// Reads what a change of a relationship looks at, on both sides.
  final func readSides(
    of relationship: RelationshipDescription, to objects: ContiguousArray<ManagedObject>
  ) throws(PersistenceError) {
    if relationship.isToMany {
      _ = try readLinks(relationship)
    } else {
      _ = try readMemory()
      if let old = try readDestination(relationship.ordinal) {
        try old.readSide(relationship.maintainedInverse)
      }
    }
    for object in objects { try object.readSide(relationship.maintainedInverse) }
  }

  private func readSide(_ inverse: RelationshipDescription?) throws(PersistenceError) {
    guard let inverse, !inverse.isToMany,
      let own = binding.relationship(named: inverse.name)
    else { return }
    _ = try readDestination(own.ordinal)
  }

  /// Whether this side of a relationship can be changed from the other one. A to-one side that cannot be read is not
  /// changed, and the failure is noted: nobody would tell the owner that was that it has lost the object.
  @inline(__always) final func canChangeSide(_ inverse: RelationshipDescription) -> Bool {
    memory != nil || inverse.leadsToMany || canReadSide(inverse)
  }

  @inline(never) private final func canReadSide(_ inverse: RelationshipDescription) -> Bool {
    if knownDestination(inverse.ordinal) != nil { return true }
    if row == nil, let slot = binding.referenceSlots[inverse.ordinal],
      partialRow(having: slot) != nil
    {
      return true
    }
    // Whose record is gone, or who has no context, is nobody's any more.
    return fire() != nil || flags.contains(.inaccessible) || context == nil
  }
}

// What could not be read cannot be set on the strength of what it read as: `count += 1` would write 1.
extension ManagedObject {
  /// Whether the values of the object could not be read, and were not since by a refresh.
  @inline(__always) final var isBarred: Bool {
    guard let contextReference else { return false }
    return contextReference._withUnsafeGuaranteedRef {
      !$0.readFailures.isEmpty && $0.readFailures.bars(identity, nil)
    }
  }

  /// Whether a to-many relationship could not be read, and was not since by a refresh.
  final func isBarred(_ relationship: RelationshipDescription) -> Bool {
    guard let context, !context.readFailures.isEmpty else { return false }
    return context.readFailures.bars(identity, relationship.name)
  }

  /// Throws when the values, or a to-many relationship, could not be read and were not since by a refresh.
  final func requireRead(_ key: String?) throws(PersistenceError) {
    guard let failures = context?.readFailures, !failures.isEmpty, failures.bars(identity, key),
      let error = failures.error
    else { return }
    throw error
  }
}
