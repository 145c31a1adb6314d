// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
public import RoostModel
import RoostQuery

// What can be said of a to-many relationship without reading its destinations.
extension ManagedObject {
  /// Returns the IDs of the destinations of a relationship; no destination is read or registered.
  ///
  /// ```swift
  /// let ids = try department.objectIDs(forRelationshipNamed: "people")
  /// ```
  /// - Parameter key: The name of a relationship, to-one or to-many.
  /// - Returns: The IDs, in order for an ordered relationship; unsaved changes count.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, or what the store throws.
  /// - Complexity: At most one query, for a to-many relationship that is not loaded.
  @_disfavoredOverload
  public final func objectIDs(forRelationshipNamed key: String) throws -> [ObjectID] {
    guard let relationship = binding.relationship(named: key) else { throw unknownKey(key) }
    guard relationship.isToMany else {
      return try destinationID(relationship).map { [$0] } ?? []
    }
    let links = toManyLinks(relationship)
    guard !links.isLoaded, let context else { return links.members.map(\.identity) }
    let removed = Set(links.removed.values.map(\.identity))
    var ids = try context.storedDestinationIDs(of: relationship, from: self)
    ids.removeAll { removed.contains($0) || context.isDeleted($0) }
    let known = Set(ids)
    for object in links.added where !known.contains(object.identity) { ids.append(object.identity) }
    return ids
  }

  /// The ID of the destination of a to-one relationship; no object is made for it.
  private func destinationID(
    _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> ObjectID? {
    if !links.isEmpty, case .toOne(let object) = links[relationship.ordinal] {
      return object?.identity
    }
    guard try readMemory() != nil, let row, let context,
      case .toOne(let slot) = relationship.storage, let key = row.reference(slot)
    else { return nil }
    return context.destinationID(forKey: key, from: self)
  }

  /// How many destinations a to-many relationship has, as far as it can be found out.
  final func memberCount(_ relationship: RelationshipDescription) -> Int {
    do throws(PersistenceError) {
      return try readMemberCount(relationship)
    } catch {
      context?.noteReadFailure(error, of: [identity], key: relationship.name)
      return toManyLinks(relationship).members.count
    }
  }

  /// How many destinations a to-many relationship has. While they are not loaded, their number is asked for.
  final func readMemberCount(
    _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> Int {
    let links = toManyLinks(relationship)
    guard !links.isLoaded, let context else { return links.members.count }
    // A parent's unsaved objects count as well, and it tells IDs (B202); which of them are deleted here, IDs say.
    guard !links.hasChanges, context.parentContext == nil, context.changes.deletedCount == 0,
      let inverse = relationship.maintainedInverse, !inverse.isToMany
    else {
      return try context.askingForMembers(of: self, relationship) {
        try self.objectIDs(forRelationshipNamed: relationship.name).count
      }
    }
    return try context.askingForMembers(of: self, relationship) {
      let request = FetchRequest<ObjectID>(entityName: relationship.destinationEntity?.name ?? "")
      request.predicate = .comparison(
        ComparisonPredicate(
          .keyPath([inverse.name]), .equalTo, .constant(.objectID(self.identity))))
      request.includesPendingChanges = false
      return try context.storedCount(of: request)
    }
  }

  /// Whether an object is a destination of a to-many relationship, as far as it can be found out.
  final func hasMember(_ object: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
    do throws(PersistenceError) {
      return try readMembership(of: object, relationship)
    } catch {
      context?.noteReadFailure(error, of: [identity], key: relationship.name)
      return false
    }
  }

  /// Whether an object is a destination of a to-many relationship. The others are not read.
  private func readMembership(
    of object: ManagedObject, _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> Bool {
    let links = toManyLinks(relationship)
    if let known = links.contains(object) { return known }
    guard object.context === context, let context, object.isKnownBelow,
      !object.flags.contains(.deleted)
    else {
      return false
    }
    if let inverse = relationship.maintainedInverse,
      object.binding.relationship(named: inverse.name) != nil
    {
      if !inverse.isToMany { return try object.readDestination(inverse.ordinal) === self }
      let back = object.toManyLinks(inverse)
      if let known = back.contains(self) { return known }
    }
    return try context.askingForMembers(of: self, relationship) {
      let id = object.identity
      return try context.storedDestinationIDs(of: relationship, from: self).contains(id)
    }
  }
}

extension ManagedObjectContext {
  /// The IDs of an object's destinations as the store has them.
  func storedDestinationIDs(
    of relationship: RelationshipDescription, from object: ManagedObject
  ) throws -> [ObjectID] {
    statistics.roundTrips += 1
    return Array(try source().destinations(of: relationship, for: [object.identity]).ids)
  }

  /// Whether an object's deletion is pending.
  fileprivate func isDeleted(_ id: ObjectID) -> Bool {
    changes.deletedCount > 0 && registry.object(for: id)?.flags.contains(.deleted) ?? false
  }

  /// Counts in the stores, without settling what is pending.
  func storedCount(of request: FetchRequest<ObjectID>) throws -> Int {
    var resolved = try resolve(request)
    resolved.askForCount()
    guard case .count(let count) = try ask(resolved, for: request) else { return 0 }
    return count
  }

  /// Asks a store for what a relationship's reader did not ask for in so many words.
  ///
  /// - Throws: `forbiddenByPolicy`, or what the store throws.
  func askingForMembers<Result>(
    of object: ManagedObject, _ relationship: RelationshipDescription, _ body: () throws -> Result
  ) throws(PersistenceError) -> Result {
    guard allowsImplicitRoundTrips else {
      throw ManagedObjectContext.forbiddenRoundTrip(object, key: relationship.name)
    }
    statistics.implicitRoundTrips += 1
    do {
      return try body()
    } catch {
      throw PersistenceError.wrapping(error)
    }
  }
}
