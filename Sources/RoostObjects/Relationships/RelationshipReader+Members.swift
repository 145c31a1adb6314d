// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

extension RelationshipReader {
  /// Returns the ID of the destination of a to-one relationship, without creating an object.
  func destinationID(
    _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> ObjectID? {
    if !owner.links.isEmpty, case .toOne(let object) = owner.links[relationship.ordinal] {
      return object?.identity
    }
    guard try owner.readMemory() != nil, let row = owner.row, let context = owner.context,
      case .toOne(let slot) = relationship.storage, let key = row.reference(slot)
    else { return nil }
    return context.loader.destinationID(forKey: key, from: owner)
  }

  /// Returns the number of destinations of a to-many relationship; a read error is recorded.
  func memberCount(_ relationship: RelationshipDescription) -> Int {
    do throws(PersistenceError) {
      return try readMemberCount(relationship)
    } catch {
      owner.context?.readErrors.noteReadFailure(error, of: [owner.identity], key: relationship.name)
      return toManyLinks(relationship).members.count
    }
  }

  /// Returns the number of destinations of a to-many relationship. Before they are loaded, the store counts them.
  func readMemberCount(
    _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> Int {
    let links = toManyLinks(relationship)
    guard !links.isLoaded, let context = owner.context else { return links.members.count }
    // A parent's unsaved objects are included, for which it returns IDs (B202); to subtract deleted objects, IDs are
    // needed, too.
    guard !links.hasChanges, context.parentContext == nil, context.changes.deletedCount == 0,
      let inverse = relationship.maintainedInverse, !inverse.isToMany
    else {
      return try context.loader.askingForMembers(of: owner, relationship) {
        try owner.objectIDs(forRelationshipNamed: relationship.name).count
      }
    }
    return try context.loader.askingForMembers(of: owner, relationship) {
      let request = FetchRequest<ObjectID>(entityName: relationship.destinationEntity?.name ?? "")
      request.predicate = .comparison(
        ComparisonPredicate(
          .keyPath([inverse.name]), .equalTo, .constant(.objectID(owner.identity))))
      request.includesPendingChanges = false
      return try context.loader.storedCount(of: request)
    }
  }

  /// Returns whether an object is a destination of a to-many relationship; a read error is recorded.
  func hasMember(_ object: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
    do throws(PersistenceError) {
      return try readMembership(of: object, relationship)
    } catch {
      owner.context?.readErrors.noteReadFailure(error, of: [owner.identity], key: relationship.name)
      return false
    }
  }

  /// Returns whether an object is a destination of a to-many relationship, without reading the others.
  private func readMembership(
    of object: ManagedObject, _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> Bool {
    let links = toManyLinks(relationship)
    if let known = links.contains(object) { return known }
    guard object.context === owner.context, let context = owner.context, object.isKnownBelow,
      !object.flags.contains(.deleted)
    else {
      return false
    }
    if let inverse = relationship.maintainedInverse,
      object.binding.relationship(named: inverse.name) != nil
    {
      if !inverse.isToMany { return try object.related.readDestination(inverse.ordinal) === owner }
      let back = object.related.toManyLinks(inverse)
      if let known = back.contains(owner) { return known }
    }
    return try context.loader.askingForMembers(of: owner, relationship) {
      let id = object.identity
      return try context.loader.storedDestinationIDs(of: relationship, from: owner).contains(id)
    }
  }
}
