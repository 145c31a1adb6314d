// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// Gives the shared predicate evaluator access to the rows of a snapshot; relationships are followed inside the
/// store.
struct SnapshotSource: EvaluationSource {
  let schema: KeyValueSchema
  let snapshot: any KeyValueSnapshot

  func base(of row: Row) -> UnsafeMutableRawPointer { row.base }

  func identity(of row: Row) -> Int64 { row.key }

  func identity(for id: ObjectID) -> Int64? {
    id.storeIdentity?.identifier == schema.schema.identity.identifier ? id.key : nil
  }

  func objectID(for key: Int64) -> ObjectID? {
    schema.schema.objectID(forKey: key)
  }

  func entity(of row: Row) -> EntityDescription { row.layout.entity }

  func tieBreaker(of row: Row) -> Int64 { row.key }

  func destination(of relationship: RelationshipDescription, from row: Row) throws -> Row? {
    guard let key = destinationIdentity(of: relationship, from: row) else { return nil }
    return try snapshot.row(forKey: key)
  }

  func destinationIdentity(of relationship: RelationshipDescription, from row: Row) -> Int64? {
    guard case .toOne(let slot) = relationship.storage else { return nil }
    return row.reference(slot)
  }

  func destinations(of relationship: RelationshipDescription, from row: Row) throws -> [Row] {
    if case .transient = relationship.storage { return [] }
    let reader = RelationshipReader(schema: schema, snapshot: snapshot)
    let keys = try reader.destinations(of: relationship, forSources: [row.key]).keys
    return try snapshot.rows(forKeys: keys)
  }
}
