// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Properties of a to-many relationship that are available without reading its destinations.
extension ManagedObject {
  /// Returns the IDs of a relationship's destinations, without reading or registering them.
  ///
  /// ```swift
  /// let ids = try department.objectIDs(forRelationshipNamed: "people")
  /// ```
  /// - Parameter key: The name of a relationship, to-one or to-many.
  /// - Returns: The IDs, in order for an ordered relationship; unsaved changes are included.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, or the error of the store.
  /// - Complexity: At most one query, for a to-many relationship that is not loaded.
  @_disfavoredOverload
  public final func objectIDs(forRelationshipNamed key: String) throws -> [ObjectID] {
    guard let relationship = binding.relationship(named: key) else { throw keyed.unknownKey(key) }
    guard relationship.isToMany else {
      return try related.destinationID(relationship).map { [$0] } ?? []
    }
    let links = related.toManyLinks(relationship)
    // A new order is applied to the destinations themselves.
    if !links.wantedOrder.isEmpty { _ = try related.readLinks(relationship) }
    guard !links.isLoaded, let context else { return links.members.map(\.identity) }
    let removed = Set(links.removed.values.map(\.identity))
    var ids = try context.loader.storedDestinationIDs(of: relationship, from: self)
    ids.removeAll { removed.contains($0) || context.loader.isDeleted($0) }
    let known = Set(ids)
    for object in links.added where !known.contains(object.identity) { ids.append(object.identity) }
    return ids
  }
}
