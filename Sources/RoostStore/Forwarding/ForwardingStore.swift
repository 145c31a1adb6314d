// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery
import Synchronization

/// A store in front of another one: it hands every request on, and answers what the other one answers.
///
/// Subclasses override what they look at or change: a recorder, a cache, a store that refuses something. What a
/// subclass does not override goes straight to ``base``.
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
  // Sendable: the schema is behind a lock, the rest is constant; a subclass answers for its own state.

  /// The store behind this one.
  public let base: any PersistentStore
  private let known = Mutex<StoreSchema?>(nil)

  /// Makes a store in front of another one.
  ///
  /// - Parameter base: The store that answers.
  public init(_ base: any PersistentStore) {
    self.base = base
  }

  /// Returns a store like this one in front of another base, for the requests of a task that can be cancelled; nil to
  /// let such requests run to their end. A subclass that shares its state with the new one overrides it.
  ///
  /// - Parameter base: The base, which stops when the task is cancelled.
  open func forwarding(to base: any PersistentStore) -> (any PersistentStore)? { nil }

  /// The identity of the base.
  open var identity: StoreIdentity { base.identity }
  /// How the base was asked for.
  open var description: PersistentStoreDescription { base.description }
  /// The metadata of the base.
  open var metadata: StoreMetadata { base.metadata }
  /// Whether the base refuses to be written.
  open var isReadOnly: Bool { base.isReadOnly }
  /// The snapshots of the base. What is read of one does not pass here.
  open var snapshots: (any StoreSnapshots)? { base.snapshots }
  /// The change marks of the base.
  open var changeMarks: (any StoreChangeMarks)? { base.changeMarks }
  /// The change hints of the base.
  open var changeHints: (any StoreChangeHints)? { base.changeHints }
  /// The evolution of the base. What it writes does not pass here.
  open var evolution: (any StoreEvolution)? { base.evolution }
  /// The history of the base.
  open var history: (any StoreHistory)? { base.history }
  /// How the base takes part in saves over several stores. What it prepares and decides does not pass ``commit(_:)``: a
  /// subclass that looks at saves puts a ``StorePreparation`` of its own in front of it.
  open var preparation: (any StorePreparation)? { base.preparation }
  /// The foreign references of the base.
  open var foreignReferences: (any StoreForeignReferences)? { base.foreignReferences }
  /// The connections of the base.
  open var connections: StoreConnections? { base.connections }
  /// The statements of SQL that the base answers.
  open var sql: (any StoreSQL)? { base.sql }
  /// Nil: batch requests are made into change sets, which pass ``commit(_:)``. A subclass that does not look at what is
  /// saved hands on those of the base, which do not.
  open var batches: (any StoreBatches)? { nil }

  /// What the store was prepared with; nil before.
  public final var schema: StoreSchema? { known.withLock { $0 } }

  /// Prepares the base, and remembers the schema.
  open func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try base.prepare(schema, metadata: metadata)
    known.withLock { $0 = schema }
  }

  /// Hands a request on.
  open func fetch(
    _ request: ResolvedFetch, in context: FetchContext
  ) throws -> StoreFetchResult {
    try base.fetch(request, in: context)
  }

  /// What the base would do for a request.
  open func plan(for request: ResolvedFetch) throws -> QueryPlan { try base.plan(for: request) }

  /// Hands a request for records on.
  open func rows(forKeys keys: [Int64]) throws -> [Row] { try base.rows(forKeys: keys) }

  /// Reads one record as ``rows(forKeys:)`` does, so that overriding that is enough.
  open func row(forKey key: Int64) throws -> Row? {
    try rows(forKeys: [key]).first { $0.key == key }
  }

  /// Hands a request for destinations on.
  open func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    try base.destinations(of: relationship, forSources: sources)
  }

  /// Hands a reservation on.
  open func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    try base.reserveSequences(count)
  }

  /// Hands a save on.
  open func commit(_ changes: StoreChangeSet) throws -> CommitOutcome { try base.commit(changes) }

  /// The store for the requests of a task: what ``forwarding(to:)`` makes, or this one.
  open func cancellable(by cancellation: RequestCancellation) -> any PersistentStore {
    forwarding(to: base.cancellable(by: cancellation)) ?? self
  }

  /// Closes the base.
  open func close() { base.close() }
}
