// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// A store that cannot keep values unique, and refuses a model that wants it (B14); it has no mark of writes either.
final class RefusingStore: PersistentStore {
  private let base: any PersistentStore

  init(_ base: any PersistentStore) {
    self.base = base
  }

  var identity: StoreIdentity { base.identity }
  var description: PersistentStoreDescription { base.description }
  var metadata: StoreMetadata { base.metadata }
  var isReadOnly: Bool { base.isReadOnly }
  var snapshots: (any StoreSnapshots)? { base.snapshots }
  var changeMarks: (any StoreChangeMarks)? { nil }

  func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    if let entity = schema.entities.first(where: { !$0.uniquenessConstraints.isEmpty }) {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema, "The store cannot keep values unique.",
        entityName: entity.name)
    }
    try base.prepare(schema, metadata: metadata)
  }

  func fetch(_ request: ResolvedFetch) throws -> StoreFetchResult { try base.fetch(request) }
  func plan(for request: ResolvedFetch) throws -> QueryPlan { try base.plan(for: request) }
  func rows(forKeys keys: [Int64]) throws -> [Row] { try base.rows(forKeys: keys) }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    try base.destinations(of: relationship, forSources: sources)
  }

  func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    try base.reserveSequences(count)
  }

  func commit(_ changes: StoreChangeSet) throws -> CommitOutcome { try base.commit(changes) }
  func close() { base.close() }
}
