// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostStore

extension KeyValueStore {
  /// Calls `body` with a snapshot whose indexes are those of this store's model.
  ///
  /// It is not generic over a result: passing an unspecialised generic value through the engine's protocol costs as
  /// much as a record lookup.
  func read(
    _ schema: KeyValueSchema, _ body: (any KeyValueSnapshot) throws -> Void
  ) throws {
    try engine.read { snapshot in
      try cancellation.check()
      try schema.check(snapshot)
      try body(snapshot)
    }
  }

  public func rows(forKeys keys: [Int64]) throws -> [Row] {
    let schema = try preparedSchema()
    description.log?.statement("rows for \(keys.count) keys")
    var rows: [Row] = []
    try read(schema) { rows = try $0.rows(forKeys: keys, cancellation) }
    return rows
  }

  /// The row of one record; nil when there is none.
  public func row(forKey key: Int64) throws -> Row? {
    let schema = try preparedSchema()
    description.log?.statement("rows for 1 key")
    var row: Row?
    try read(schema) { row = try $0.row(forKey: key) }
    return row
  }

  public func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    let schema = try preparedSchema()
    description.log?.statement("destinations of \(relationship.name) for \(sources.count) sources")
    var found = RelationshipDestinations(offsets: [], keys: [])
    try read(schema) {
      found = try SnapshotRecords(schema: schema, snapshot: $0)
        .destinations(of: relationship, forSources: sources)
    }
    return found
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
  /// Throws when another process has changed the indexes of the store since it was prepared, or has migrated the
  /// store (M34).
  @inline(__always)
  func check(_ snapshot: any KeyValueSnapshot) throws {
    guard try snapshot.catalogStamp() != catalogStamp else { return }
    try refuse(snapshot)
  }

  /// Throws an error that says what has changed.
  private func refuse(_ snapshot: any KeyValueSnapshot) throws {
    guard let metadata = try KeyValueStore.metadata(in: snapshot), Version(metadata) == version
    else { throw PersistenceError.migratedMeanwhile(store: schema.identity.identifier) }
    throw PersistenceError(
      .persistentStoreIncompatibleSchema,
      "The indexes of the store were changed by another user of it; add the store again.",
      store: schema.identity.identifier)
  }
}

extension PersistenceError {
  /// The error of a store that was migrated since it was opened.
  static func migratedMeanwhile(store: String) -> PersistenceError {
    PersistenceError(
      .persistentStoreIncompatibleVersionHash,
      "The store was migrated to another version of the model by another process; open it again with that version.",
      store: store)
  }
}
