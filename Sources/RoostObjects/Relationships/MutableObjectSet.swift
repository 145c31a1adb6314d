// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The destinations of a to-many relationship as a set that writes through: it tracks changes and maintains inverses
/// as the property does. Adding, removing, testing and counting read no destination.
///
/// Adding *n* objects one by one costs O(*n*); the property itself, as a value, is copied at each change.
///
/// ```swift
/// let people = department.mutableSet(\.people)
/// people.insert(ada)
/// print(people.count, people.contains(bob))
/// ```
public struct MutableObjectSet<Member: ManagedObject>: Sequence {
  private let owner: ManagedObject
  private let relationship: RelationshipDescription

  package init(_ owner: ManagedObject, _ relationship: RelationshipDescription) {
    self.owner = owner
    self.relationship = relationship
  }

  /// The number of destinations.
  ///
  /// - Complexity: At most one query, for a count; with unsaved changes or links without a to-one side, for IDs.
  public var count: Int { owner.related.memberCount(relationship) }

  /// Whether there are no destinations; has the same cost as ``count``.
  public var isEmpty: Bool { count == 0 }

  /// Whether the destinations are loaded.
  public var isLoaded: Bool { !owner.related.hasUnloaded(relationship) }

  /// Whether an object is a destination.
  ///
  /// - Complexity: At most one query, for the object or for IDs.
  public func contains(_ object: Member) -> Bool { owner.related.hasMember(object, relationship) }

  /// Adds an object, on both sides of the relationship. An object of another context or entity is not added, and the
  /// next save throws.
  ///
  /// - Complexity: O(1), no query except for the object itself when it is a fault.
  public func insert(_ object: Member) { owner.editor.addDestination(relationship, object) }

  /// Adds objects.
  public func formUnion(_ objects: some Sequence<Member>) {
    for object in objects { owner.editor.addDestination(relationship, object) }
  }

  /// Removes an object, on both sides of the relationship.
  ///
  /// - Complexity: As ``insert(_:)``.
  public func remove(_ object: Member) { owner.editor.removeDestination(relationship, object) }

  /// Removes objects.
  public func subtract(_ objects: some Sequence<Member>) {
    for object in objects { owner.editor.removeDestination(relationship, object) }
  }

  /// Removes all objects except the given ones.
  ///
  /// - Complexity: Loads the destinations.
  public func formIntersection(_ objects: some Sequence<Member>) {
    let kept = Set(objects.map(ObjectIdentifier.init))
    for object in owner.related.destinations(relationship)
    where !kept.contains(ObjectIdentifier(object)) {
      owner.editor.removeDestination(relationship, object)
    }
  }

  /// Replaces all destinations.
  ///
  /// - Complexity: Loads the destinations.
  public func set(_ objects: some Sequence<Member>) {
    owner.editor.setDestinations(relationship, ContiguousArray(objects.map { $0 as ManagedObject }))
  }

  /// Removes all objects.
  ///
  /// - Complexity: Loads the destinations.
  public func removeAll() { owner.editor.setDestinations(relationship, []) }

  /// The objects; loads them.
  public var allObjects: [Member] {
    owner.related.destinations(relationship).compactMap { $0 as? Member }
  }

  /// Iterates over the current destinations; loads them.
  public func makeIterator() -> IndexingIterator<[Member]> { allObjects.makeIterator() }
}

extension ManagedObject {
  /// Returns a to-many relationship as a set that writes through.
  ///
  /// ```swift
  /// try department.mutableSetValue(forKey: "people").insert(ada)
  /// ```
  /// - Parameter key: The name of a to-many relationship.
  /// - Throws: ``PersistenceError`` with code `unknownKey`.
  @_disfavoredOverload
  public final func mutableSetValue(
    forKey key: String
  ) throws -> MutableObjectSet<ManagedObject> {
    MutableObjectSet(self, try related.toManyRelationship(key))
  }

  /// Returns the relationship of a property of the class, by the property's index.
  public final func _members<Member: ManagedObject>(_ property: Int) -> MutableObjectSet<Member> {
    MutableObjectSet(self, binding.relationships[slots[property].index])
  }

  /// Returns the ordered relationship of a property of the class, by the property's index.
  public final func _list<Member: ManagedObject>(_ property: Int) -> MutableObjectList<Member> {
    MutableObjectList(self, binding.relationships[slots[property].index])
  }
}

extension ManagedObjectClass {
  /// Returns the to-many relationship at the end of a key path of the class; another key path ends the program.
  package func relationship(at property: AnyKeyPath) -> RelationshipDescription {
    let path = RelationshipNames.name(of: property) ?? ""
    guard let relationship = binding.relationship(named: path), relationship.isToMany else {
      preconditionFailure("The key path \(property) is no to-many relationship of \(Self.self).")
    }
    return relationship
  }
}
