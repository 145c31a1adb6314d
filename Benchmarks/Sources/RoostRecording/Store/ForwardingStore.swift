// SPDX-License-Identifier: Apache-2.0

import Roost
import Synchronization

/// A store that hands everything on to another one, and knows its schema; subclasses look at what passes.
class ForwardingStore: PersistentStore, @unchecked Sendable {
  // Sendable: the schema is behind a lock, the rest is constant.

  let base: any PersistentStore
  private let known = Mutex<StoreSchema?>(nil)

  init(_ base: any PersistentStore) {
    self.base = base
  }

  /// The schema, once the store is prepared.
  final var schema: StoreSchema? { known.withLock { $0 } }

  final var identity: StoreIdentity { base.identity }
  final var description: PersistentStoreDescription { base.description }
  final var metadata: StoreMetadata { base.metadata }
  final var isReadOnly: Bool { base.isReadOnly }
  /// What is read of a moment is not recorded.
  final var snapshots: (any StoreSnapshots)? { base.snapshots }
  final var changeMarks: (any StoreChangeMarks)? { base.changeMarks }

  func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try base.prepare(schema, metadata: metadata)
    known.withLock { $0 = schema }
  }

  func fetch(_ request: ResolvedFetch) throws -> StoreFetchResult { try base.fetch(request) }

  final func plan(for request: ResolvedFetch) throws -> QueryPlan { try base.plan(for: request) }

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

/// Opens stores behind another one.
struct ForwardingDriver: PersistentStoreDriver {
  let base: any PersistentStoreDriver
  let wrap: @Sendable (any PersistentStore) -> ForwardingStore

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    wrap(try base.open(description))
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    try base.metadata(of: description)
  }

  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    try base.setMetadata(metadata, of: description)
  }

  func destroy(_ description: PersistentStoreDescription) throws {
    try base.destroy(description)
  }

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    try base.replace(destination, with: source)
  }
}

extension PersistentStoreDescription {
  /// The same store behind another one.
  func forwarded(
    _ wrap: @escaping @Sendable (any PersistentStore) -> ForwardingStore
  ) -> PersistentStoreDescription {
    var result = self
    result.type = PersistentStoreType(
      rawValue: type.rawValue, driver: ForwardingDriver(base: type.driver, wrap: wrap))
    return result
  }
}
