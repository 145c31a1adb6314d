// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

extension KeyValueStore {
  /// Calls `body` with a snapshot whose indexes are those of this store's model.
  @inline(__always)
  func read<Result>(
    _ schema: KeyValueSchema, _ body: (any KeyValueSnapshot) throws -> Result
  ) throws -> Result {
    try engine.reading { snapshot in
      try schema.check(snapshot)
      return try body(snapshot)
    }
  }

  package func rows(forKeys keys: [Int64]) throws -> [Row] {
    try faults?.willCall(.rows)
    let schema = try preparedSchema()
    description.log?.statement("rows for \(keys.count) keys")
    return try read(schema) { try $0.rows(forKeys: keys) }
  }

  package func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    try faults?.willCall(.destinations)
    let schema = try preparedSchema()
    description.log?.statement("destinations of \(relationship.name) for \(sources.count) sources")
    return try read(schema) {
      try SnapshotRecords(schema: schema, snapshot: $0)
        .destinations(of: relationship, forSources: sources)
    }
  }
}

/// The records and relationships of a snapshot, of a reader or of the transaction that is going to write.
struct SnapshotRecords: DerivationSource {
  let schema: KeyValueSchema
  let snapshot: any KeyValueSnapshot

  func rows(forKeys keys: [Int64]) throws -> [Row] {
    try snapshot.rows(forKeys: keys)
  }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    try RelationshipReader(schema: schema, snapshot: snapshot)
      .destinations(of: relationship, forSources: sources)
  }
}

extension KeyValueSchema {
  /// Throws when another program has changed the indexes of the store since it was prepared.
  func check(_ snapshot: any KeyValueSnapshot) throws {
    guard try snapshot.catalogStamp() != catalogStamp else { return }
    throw PersistenceError(
      .persistentStoreIncompatibleSchema,
      "The indexes of the store were changed by another user of it; add the store again.",
      store: schema.identity.identifier)
  }
}
