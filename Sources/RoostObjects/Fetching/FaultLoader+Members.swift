// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery

extension FaultLoader {
  /// Returns the IDs of an object's destinations in the store.
  func storedDestinationIDs(
    of relationship: RelationshipDescription, from object: ManagedObject
  ) throws -> [ObjectID] {
    context.statistics.roundTrips += 1
    return try context.asCaller {
      Array(
        try context.upstream.source().destinations(of: relationship, for: [object.identity]).ids)
    }
  }

  /// Whether the object with an ID has a pending deletion.
  func isDeleted(_ id: ObjectID) -> Bool {
    context.changes.deletedCount > 0
      && context.registry.object(for: id)?.flags.contains(.deleted) ?? false
  }

  /// Counts records in the stores, without processing pending changes.
  func storedCount(of request: FetchRequest<ObjectID>) throws -> Int {
    var resolved = try context.fetcher.resolve(request)
    resolved.askForCount()
    guard case .count(let count) = try context.fetcher.ask(resolved, for: request) else { return 0 }
    return count
  }

  /// Runs a store query that a relationship's reader triggers implicitly.
  ///
  /// - Throws: `forbiddenByPolicy`, or the error of the store.
  func askingForMembers<Result>(
    of object: ManagedObject, _ relationship: RelationshipDescription, _ body: () throws -> Result
  ) throws(PersistenceError) -> Result {
    guard context.allowsImplicitRoundTrips else {
      throw ManagedObjectContext.forbiddenRoundTrip(object, key: relationship.name)
    }
    context.statistics.implicitRoundTrips += 1
    do {
      return try context.asCaller(implicitly: true, body)
    } catch {
      throw PersistenceError.wrapping(error)
    }
  }
}
