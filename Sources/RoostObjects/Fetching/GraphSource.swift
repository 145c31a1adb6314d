// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// Gives the shared evaluator access to managed objects, including unsaved values and relationships.
struct GraphSource: EvaluationSource {
  let context: ManagedObjectContext

  func base(of item: ManagedObject) throws -> UnsafeMutableRawPointer {
    if let memory = item.memory { return memory }
    // A record that is gone reads as nil in every property.
    return try context.fetcher.reading { () throws(PersistenceError) in try item.readMemory() }
      ?? item.binding.layout.template
  }

  func identity(of item: ManagedObject) -> ObjectID { item.identity }

  func identity(for id: ObjectID) -> ObjectID? { id.current }

  func objectID(for identity: ObjectID) -> ObjectID? { identity }

  func entity(of item: ManagedObject) -> EntityDescription { item.entity }

  /// New objects sort after saved ones, in the order of their creation.
  func tieBreaker(of item: ManagedObject) -> Int64 { item.identity.tieBreaker }

  func destination(
    of relationship: RelationshipDescription, from item: ManagedObject
  ) throws -> ManagedObject? {
    guard let found = try anyDestination(of: relationship, from: item) else { return nil }
    return isReadable(found, relationship) ? found : nil
  }

  private func anyDestination(
    of relationship: RelationshipDescription, from item: ManagedObject
  ) throws -> ManagedObject? {
    guard let own = item.binding.relationship(named: relationship.name) else { return nil }
    return try context.fetcher.reading { () throws(PersistenceError) in
      try item.related.readDestination(own.ordinal)
    }
  }

  /// Whether the values of a destination can be read. A destination in another store that is not attached has an
  /// identity, and nil values, as in a store's own evaluation (X45).
  private func isReadable(
    _ object: ManagedObject, _ relationship: RelationshipDescription
  ) -> Bool {
    !relationship.leadsAcrossStores || object.memory != nil
      || context.loader.isReachable(object.identity)
  }

  func destinationIdentity(
    of relationship: RelationshipDescription, from item: ManagedObject
  ) throws -> ObjectID? {
    try anyDestination(of: relationship, from: item)?.identity
  }

  func destinations(
    of relationship: RelationshipDescription, from item: ManagedObject
  ) throws -> [ManagedObject] {
    guard let own = item.binding.relationship(named: relationship.name) else { return [] }
    let found = try context.fetcher.reading { () throws(PersistenceError) in
      Array(try item.related.readDestinations(own))
    }
    guard relationship.leadsAcrossStores else { return found }
    return found.filter { isReadable($0, relationship) }
  }
}
