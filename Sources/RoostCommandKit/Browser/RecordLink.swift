// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// A relationship of a record: how the records that it leads to are found.
struct RecordLink {
  let session: StoreSession
  let owner: ObjectID
  let relationship: RelationshipDescription

  init(_ session: StoreSession, owner: ObjectID, relationship: RelationshipDescription) {
    self.session = session
    self.owner = owner
    self.relationship = relationship
  }

  /// Finds the relationship that a request names.
  ///
  /// - Throws: ``BrowserFault`` with 404.
  init(_ session: StoreSession, owner: String, relationship name: String) throws {
    let id = try session.record(owner)
    guard let relationship = id.entity.relationshipsByName[name] else {
      throw BrowserFault(404, "\(id.entity.name ?? "") has no relationship “\(name)”.")
    }
    self.init(session, owner: id, relationship: relationship)
  }

  /// Returns the condition on the destination records: by the inverse, which a store can look up; without one by
  /// their IDs, which are read first.
  func condition() throws -> FetchPredicate {
    guard let inverse = relationship.inverseRelationship, !inverse.isTransient else {
      return try FetchPredicate(format: "SELF IN %@", argumentArray: [try members()])
    }
    return try FetchPredicate(
      format: inverse.isToMany ? "ANY %K == %@" : "%K == %@", argumentArray: [inverse.name, owner])
  }

  /// The IDs of the records that it leads to, in order where it has one.
  func members() throws -> [ObjectID] {
    let context = ManagedObjectContext(coordinator: session.coordinator)
    return try context.performAndWait {
      try context.existingObject(with: owner).objectIDs(forRelationshipNamed: relationship.name)
    }
  }
}

extension StoreSession {
  /// Returns the object ID for a text such as `Person/p42`. The record may not exist.
  ///
  /// - Throws: ``BrowserFault`` with 404.
  func record(_ text: String) throws(BrowserFault) -> ObjectID {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let name = parts.first?.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let number = parts.count == 2 ? parts[1] : ""
    let uri = "roost://\(store.metadata.identifier)/\(name)/\(number)"
    guard let id = coordinator.managedObjectID(for: uri) else {
      throw BrowserFault(404, "“\(text)” is no record of this store.")
    }
    return id
  }
}
