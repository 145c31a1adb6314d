// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipReader {
  /// Returns the destination of a to-one relationship.
  func readDestination(_ ordinal: Int) throws(PersistenceError) -> ManagedObject? {
    if let known = owner.related.knownDestination(ordinal) { return known }
    let slot = owner.binding.referenceSlots[ordinal]
    if owner.memory == nil,
      slot.flatMap({ owner.row == nil ? owner.values.partialRow(having: $0) : nil }) == nil
    {
      _ = try owner.readMemory()
    }
    if slot == nil { return try readTransientDestination(ordinal) }
    return destination(ordinal)
  }

  /// Returns a to-many relationship with its destinations loaded.
  func readLinks(_ relationship: RelationshipDescription) throws(PersistenceError)
    -> ToManyLinks
  {
    let links = toManyLinks(relationship)
    if !links.isLoaded, let context = owner.context {
      try context.loader.readDestinations(of: relationship, for: owner)
    }
    return links
  }

  /// Returns the destinations of any relationship as a list.
  func readDestinations(_ relationship: RelationshipDescription) throws(PersistenceError)
    -> ContiguousArray<ManagedObject>
  {
    if relationship.isToMany { return try readLinks(relationship).members }
    return try readDestination(relationship.ordinal).map { [$0] } ?? []
  }

  /// Reads the data needed for a change of a relationship, on both sides.
  func readSides(
    of relationship: RelationshipDescription, to objects: ContiguousArray<ManagedObject>
  ) throws(PersistenceError) {
    if relationship.isToMany {
      _ = try readLinks(relationship)
    } else {
      _ = try owner.readMemory()
      if let old = try readDestination(relationship.ordinal) {
        try old.related.readSide(relationship.maintainedInverse)
      }
    }
    for object in objects { try object.related.readSide(relationship.maintainedInverse) }
  }

  private func readSide(_ inverse: RelationshipDescription?) throws(PersistenceError) {
    guard let inverse, !inverse.isToMany,
      let own = owner.binding.relationship(named: inverse.name)
    else { return }
    // A record of a store that is not attached keeps its side (X45).
    if inverse.leadsAcrossStores, let context = owner.context,
      !context.loader.isReachable(owner.identity)
    {
      return
    }
    _ = try readDestination(own.ordinal)
  }

  /// Whether this side of a relationship can be changed from the other one. A to-one side that cannot be read is not
  /// changed, and the failure is recorded: its previous owner would not be updated.
  @inline(__always) func canChangeSide(_ inverse: RelationshipDescription) -> Bool {
    owner.memory != nil || inverse.leadsToMany || canReadSide(inverse)
  }

  @inline(never) private func canReadSide(_ inverse: RelationshipDescription) -> Bool {
    if owner.related.knownDestination(inverse.ordinal) != nil { return true }
    // An object without a record or a context has no owner any more.
    return owner.fire() != nil || owner.flags.contains(.inaccessible) || owner.context == nil
  }
}
