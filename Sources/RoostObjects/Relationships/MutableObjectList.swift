// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import RoostModel

/// The destinations of an ordered relationship as a list that writes through: it tracks changes and maintains
/// inverses as the property does, and a save writes only rows with a changed position.
///
/// It contains each object at most once. Appending and counting read no destination.
///
/// ```swift
/// let tracks = album.mutableList(\.tracks)
/// tracks.append(bonus)
/// tracks.move(fromOffsets: [0], toOffset: 2)
/// ```
public struct MutableObjectList<Member: ManagedObject>: Sequence {
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

  /// Whether an object is a destination.
  ///
  /// - Complexity: At most one query, for the object or for IDs.
  public func contains(_ object: Member) -> Bool { owner.related.hasMember(object, relationship) }

  /// The object at an index, which must be less than the count; loads the destinations. Setting it replaces the
  /// object.
  ///
  /// When the destinations cannot be read, the getter returns a stand-in that is never saved, and the context has a
  /// `readError`; changes by index have no effect then.
  public subscript(index: Int) -> Member {
    get {
      guard let members else { return owner.related.standIn(for: relationship) }
      return members[index] as? Member ?? owner.related.standIn(for: relationship)
    }
    nonmutating set { replaceObject(at: index, with: newValue) }
  }

  /// Returns the index of an object; nil when it is no destination. Loads the destinations.
  public func index(of object: Member) -> Int? {
    owner.related.loadedLinks(relationship).index(of: object)
  }

  /// Adds an object at the end; a destination that exists already stays where it is.
  ///
  /// - Complexity: O(1), no query except for the object itself when it is a fault.
  public func append(_ object: Member) { owner.editor.addDestination(relationship, object) }

  /// Adds objects at the end.
  public func append(contentsOf objects: some Sequence<Member>) {
    for object in objects { owner.editor.addDestination(relationship, object) }
  }

  /// Adds an object at an index, or moves it there.
  ///
  /// - Complexity: Loads the destinations; O(*n*) moves in memory.
  public func insert(_ object: Member, at index: Int) {
    insert([object], at: IndexSet(integer: index))
  }

  /// Adds objects so that each is at its index afterwards.
  public func insert(_ objects: [Member], at indexes: IndexSet) {
    precondition(objects.count == indexes.count, "Each object needs an index.")
    let new = Set(objects.map(ObjectIdentifier.init))
    edit { members in
      members.removeAll { new.contains(ObjectIdentifier($0)) }
      for (object, index) in zip(objects, indexes) { members.insert(object, at: index) }
    }
  }

  /// Removes an object, on both sides of the relationship.
  public func remove(_ object: Member) { owner.editor.removeDestination(relationship, object) }

  /// Removes objects.
  public func subtract(_ objects: some Sequence<Member>) {
    for object in objects { owner.editor.removeDestination(relationship, object) }
  }

  /// Removes the object at an index.
  public func remove(at index: Int) {
    guard let members else { return }
    owner.editor.removeDestination(relationship, members[index])
  }

  /// Removes the objects at indexes.
  public func remove(at indexes: IndexSet) {
    guard let members else { return }
    for index in indexes { owner.editor.removeDestination(relationship, members[index]) }
  }

  /// Removes all objects.
  public func removeAll() { owner.editor.setDestinations(relationship, []) }

  /// Replaces the object at an index with another one. An object that is a destination already leaves its former
  /// place: in *a*, *b*, *c*, replacing *c* with *a* results in *b*, *a*.
  ///
  /// - Complexity: Loads the destinations; O(*n*).
  public func replaceObject(at index: Int, with object: Member) {
    replaceObjects(at: IndexSet(integer: index), with: [object])
  }

  /// Replaces objects, each with the one at the same place among the new ones. New objects that are destinations
  /// already leave their former places, so that objects can be exchanged.
  package func replaceObjects(at indexes: IndexSet, with objects: [Member]) {
    precondition(objects.count == indexes.count, "Each object needs an index.")
    let new = Set(objects.map(ObjectIdentifier.init))
    edit { members in
      for (index, object) in zip(indexes, objects) { members[index] = object }
      let kept = members.indices.filter {
        indexes.contains($0) || !new.contains(ObjectIdentifier(members[$0]))
      }
      members = ContiguousArray(kept.map { members[$0] })
    }
  }

  /// Moves objects, as a list in a user interface does: `destination` is an index before the move.
  public func move(fromOffsets source: IndexSet, toOffset destination: Int) {
    edit { members in
      let moved = source.map { members[$0] }
      let before = source.count(in: 0..<destination)
      for index in source.reversed() { members.remove(at: index) }
      members.insert(contentsOf: moved, at: destination - before)
    }
  }

  /// Swaps the positions of two objects.
  public func swapAt(_ first: Int, _ second: Int) {
    edit { $0.swapAt(first, second) }
  }

  /// Sorts the objects.
  public func sort(by areInIncreasingOrder: (Member, Member) throws -> Bool) rethrows {
    let sorted = try array.sorted(by: areInIncreasingOrder)
    set(sorted)
  }

  /// Replaces all destinations.
  public func set(_ objects: some Sequence<Member>) {
    owner.editor.setDestinations(relationship, ContiguousArray(objects.map { $0 as ManagedObject }))
  }

  /// The objects in order; loads them.
  public var array: [Member] {
    owner.related.destinations(relationship).compactMap { $0 as? Member }
  }

  /// Iterates over the current destinations; loads them.
  public func makeIterator() -> IndexingIterator<[Member]> { array.makeIterator() }

  /// The destinations; nil when they cannot be read.
  private var members: ContiguousArray<ManagedObject>? {
    let links = owner.related.loadedLinks(relationship)
    return links.isLoaded ? links.members : nil
  }

  private func edit(_ change: (inout ContiguousArray<ManagedObject>) -> Void) {
    guard var members else { return }
    change(&members)
    owner.editor.setDestinations(relationship, members)
  }
}

extension ManagedObject {
  /// Returns an ordered relationship as a list that writes through.
  ///
  /// ```swift
  /// try album.mutableOrderedSetValue(forKey: "tracks").insert(bonus, at: 0)
  /// ```
  /// - Parameter key: The name of an ordered to-many relationship.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, or `invalidValue` for an unordered relationship.
  @_disfavoredOverload
  public final func mutableOrderedSetValue(
    forKey key: String
  ) throws -> MutableObjectList<ManagedObject> {
    let relationship = try related.toManyRelationship(key)
    guard relationship.isOrdered else {
      throw PersistenceError(
        .invalidValue, "\(key) has no order; ask for mutableSetValue(forKey:).",
        entityName: entity.name, key: key, objectIDs: [identity])
    }
    return MutableObjectList(self, relationship)
  }
}
