// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery
import Synchronization

/// A store that forwards every request to another one and returns its results.
///
/// Subclasses override the requests that they observe or change: a recorder, a cache, a store that refuses some
/// requests. Requests that a subclass does not override go straight to ``base``.
///
/// ```swift
/// final class CountingStore: ForwardingStore, @unchecked Sendable {
///   let commits = Atomic<Int>(0)
///   override func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
///     commits.wrappingAdd(1, ordering: .relaxed)
///     return try super.commit(changes)
///   }
/// }
/// let description = PersistentStoreDescription.sqlite(at: path).forwarded { CountingStore($0) }
/// ```
open class ForwardingStore: PersistentStore, @unchecked Sendable {
  // Sendable: the schema is behind a lock, the rest is constant; a subclass is responsible for its own state.

  /// The store to which requests are forwarded.
  public let base: any PersistentStore
  private let known = Mutex<StoreSchema?>(nil)

  /// Creates a store that forwards to another one.
  ///
  /// - Parameter base: The store to which requests are forwarded.
  public init(_ base: any PersistentStore) {
    self.base = base
  }

  /// Returns a store like this one that forwards to another base, for the requests of a cancellable task; nil to run
  /// such requests to their end. Override it in a subclass to share its state with the new store.
  ///
  /// - Parameter base: The base, which stops when the task is cancelled.
  open func forwarding(to base: any PersistentStore) -> (any PersistentStore)? { nil }

  /// The identity of the base.
  open var identity: StoreIdentity { base.identity }
  /// The description of the base.
  open var description: PersistentStoreDescription { base.description }
  /// The metadata of the base.
  open var metadata: StoreMetadata { base.metadata }
  /// Whether the base is read-only.
  open var isReadOnly: Bool { base.isReadOnly }
  /// The snapshots of the base. Reads from a snapshot bypass this store.
  open var snapshots: (any StoreSnapshots)? { base.snapshots }
  /// The change marks of the base.
  open var changeMarks: (any StoreChangeMarks)? { base.changeMarks }
  /// The change hints of the base.
  open var changeHints: (any StoreChangeHints)? { base.changeHints }
  /// The evolution of the base. Its writes bypass this store.
  open var evolution: (any StoreEvolution)? { base.evolution }
  /// The history of the base.
  open var history: (any StoreHistory)? { base.history }
  /// The two-phase commit of the base, for saves over several stores. Prepared transactions bypass ``commit(_:)``: a
  /// subclass that observes saves returns a ``StorePreparation`` of its own that forwards to this one.
  open var preparation: (any StorePreparation)? { base.preparation }
  /// The foreign references of the base.
  open var foreignReferences: (any StoreForeignReferences)? { base.foreignReferences }
  /// The connections of the base.
  open var connections: StoreConnections? { base.connections }
  /// The SQL interface of the base.
  open var sql: (any StoreSQL)? { base.sql }
  /// The views of the base.
  open var views: (any StoreViews)? { base.views }
  /// Nil, so that batch requests become change sets, which pass through ``commit(_:)``. A subclass that does not
  /// observe saves can return those of the base, which bypass it.
  open var batches: (any StoreBatches)? { nil }

  /// The schema for which the store was prepared; nil before.
  public final var schema: StoreSchema? { known.withLock { $0 } }

  /// Prepares the base, and keeps the schema.
  open func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try base.prepare(schema, metadata: metadata)
    known.withLock { $0 = schema }
  }

  /// Forwards a fetch.
  open func fetch(
    _ request: ResolvedFetch, in context: FetchContext
  ) throws -> StoreFetchResult {
    try base.fetch(request, in: context)
  }

  /// Returns the base's plan for a request.
  open func plan(for request: ResolvedFetch) throws -> QueryPlan { try base.plan(for: request) }

  /// Forwards a request for records.
  open func rows(forKeys keys: [Int64]) throws -> [Row] { try base.rows(forKeys: keys) }

  /// Reads one record as ``rows(forKeys:)`` does, so that overriding only that method is enough.
  open func row(forKey key: Int64) throws -> Row? {
    try rows(forKeys: [key]).first { $0.key == key }
  }

  /// Forwards a request for destinations.
  open func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    try base.destinations(of: relationship, forSources: sources)
  }

  /// Forwards a reservation of sequence numbers.
  open func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    try base.reserveSequences(count)
  }

  /// Returns the last sequence number of the base.
  open func lastSequence() throws -> Int64 { try base.lastSequence() }

  /// Forwards a save.
  open func commit(_ changes: StoreChangeSet) throws -> CommitOutcome { try base.commit(changes) }

  /// Returns the store for the requests of a cancellable task: the result of ``forwarding(to:)``, or this store.
  open func cancellable(by cancellation: RequestCancellation) -> any PersistentStore {
    forwarding(to: base.cancellable(by: cancellation)) ?? self
  }

  /// Closes the base.
  open func close() { base.close() }
}
