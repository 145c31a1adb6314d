// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

/// A place that keeps records: what every store must do. Everything that crosses this border is plain data, and calls
/// are about many records, but for the one that looks up one.
///
/// A store is made by its ``PersistentStoreType``, opened by the coordinator, and then called from several threads at
/// once; it does its own locking. What only some stores can do are facets: a property that is nil, or the ability.
///
/// ```swift
/// let result = try store.fetch(request, in: FetchContext())
/// ```
public protocol PersistentStore: AnyObject, Sendable {
  /// Which store it is. Set in stone when the store is opened.
  var identity: StoreIdentity { get }
  /// Where it is and how it was opened.
  var description: PersistentStoreDescription { get }
  /// The metadata as of the last open or commit.
  var metadata: StoreMetadata { get }
  /// Whether it refuses to be written.
  var isReadOnly: Bool { get }
  /// The ability to show one snapshot; nil for a store that cannot.
  var snapshots: (any StoreSnapshots)? { get }
  /// The ability to tell that others have written; nil for a store that cannot, or that nobody else can write.
  var changeMarks: (any StoreChangeMarks)? { get }
  /// The ability to say at once that it was written; nil for a store that does not hear of it. A caller who is
  /// interested looks at the change marks now and then all the same.
  var changeHints: (any StoreChangeHints)? { get }
  /// The ability to follow the model to another version; nil for a store that opens only with the version that it was
  /// written with.
  var evolution: (any StoreEvolution)? { get }
  /// The ability to tell what each commit did; nil for a store that keeps no history.
  var history: (any StoreHistory)? { get }
  /// The ability to take part in a save over several stores that is written in all of them or in none; nil for a store
  /// that cannot.
  var preparation: (any StorePreparation)? { get }
  /// The ability to refer to records of other stores; nil for a store whose relationships stay within it.
  var foreignReferences: (any StoreForeignReferences)? { get }
  /// The ability to change or remove many records without anybody reading them first; nil for a store that cannot.
  var batches: (any StoreBatches)? { get }
  /// How busy its connections are; nil for a store that has none. A store in a SQLite file reports those that read.
  var connections: StoreConnections? { get }
  /// The ability to answer statements of SQL that a program writes itself; nil for a store that is no SQL database.
  var sql: (any StoreSQL)? { get }
  /// The ability to show the records to other tools as views of SQL; nil for a store that is no SQL database.
  var views: (any StoreViews)? { get }

  /// Prepares the store for a model: makes tables and indexes where they are missing. Called once, before any other
  /// request, and atomic: it succeeds, or the store is unchanged.
  ///
  /// - Parameters:
  ///   - schema: The entities of the store's configuration, with the codes that the store's keys use.
  ///   - metadata: What to store as metadata with it.
  /// - Throws: `persistentStoreIncompatibleSchema` when the model asks for what the store cannot do.
  func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws

  /// Returns what matches a request.
  ///
  /// The store does what it can and says in the result's `remainder` what is left to do; with a remainder it returns
  /// whole rows, a superset of the answer. A store that only scans returns every row of the entities and leaves all.
  ///
  /// - Parameters:
  ///   - request: What is asked.
  ///   - context: What the asker has already, and how it takes the answer; a store may ignore it.
  /// - Throws: `persistentStoreOperation`, `storeBusy`, `corruptStore` or `storeRemoved`.
  /// - Complexity: One round trip.
  func fetch(_ request: ResolvedFetch, in context: FetchContext) throws -> StoreFetchResult

  /// Returns what ``fetch(_:in:)`` would do, without doing it.
  func plan(for request: ResolvedFetch) throws -> QueryPlan

  /// Returns the rows of records, in any order; records that do not exist are left out.
  ///
  /// - Complexity: One round trip for any number of keys.
  func rows(forKeys keys: [Int64]) throws -> [Row]

  /// Returns the row of one record; nil when it does not exist.
  ///
  /// Asked for by ``rows(forKeys:)`` unless the store has a shorter way to one record, without lists and without what
  /// only pays for many. Both give the same row.
  ///
  /// - Parameter key: The record.
  /// - Throws: What ``rows(forKeys:)`` throws.
  /// - Complexity: One round trip.
  func row(forKey key: Int64) throws -> Row?

  /// Returns the destinations of a to-many relationship for many sources at once.
  ///
  /// - Complexity: One round trip for any number of sources.
  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations

  /// Reserves sequence numbers for new records. A number is never given twice, not even by two processes or after a
  /// crash; numbers that are not used are lost.
  ///
  /// - Returns: `count` numbers in a row; keys are made of them with ``RecordKey/make(sequence:entityCode:)``.
  func reserveSequences(_ count: Int) throws -> ClosedRange<Int64>

  /// Returns a number that no sequence number given so far exceeds, whether its record was saved, deleted or never
  /// written. A copy of the store gives none of these numbers again, so that what still names a deleted record never
  /// names another one.
  ///
  /// ```swift
  /// let count = Int(try store.lastSequence())
  /// ```
  ///
  /// - Returns: The number; 0 when none was given, and from a store that does not implement it: then a copy knows only
  ///   the numbers that it finds in records and links.
  /// - Throws: What reading throws.
  /// - Complexity: One round trip; nothing is written.
  func lastSequence() throws -> Int64

  /// Writes all changes, or none.
  ///
  /// - Returns: A receipt, or the conflicts that prevented the commit (then nothing was written).
  /// - Throws: An error after which nothing was written, or `commitOutcomeUnknown`.
  /// - Complexity: One transaction.
  func commit(_ changes: StoreChangeSet) throws -> CommitOutcome

  /// Returns the store as one whose requests end when they are cancelled: the same records, files and connections.
  ///
  /// A read that was cancelled throws `userCancelled` or answers in full; a commit throws it when nothing was written,
  /// and answers as always once it cannot be stopped any more. Asked for by every request of a task; a store that does
  /// not implement it finishes each request that has begun.
  ///
  /// - Parameter cancellation: Whose requests these are.
  func cancellable(by cancellation: RequestCancellation) -> any PersistentStore

  /// Lets go of files and connections; every later request throws `storeRemoved`. Waits for requests under way.
  func close()
}

extension PersistentStore {
  /// Nil: the store hears of writes only when it is asked.
  public var changeHints: (any StoreChangeHints)? { nil }

  /// Nil: the store takes part in no save that is atomic over several stores.
  public var preparation: (any StorePreparation)? { nil }

  /// Nil: the store has no connections.
  public var connections: StoreConnections? { nil }

  /// Nil: the store is no SQL database.
  public var sql: (any StoreSQL)? { nil }

  /// Nil: the store is no SQL database.
  public var views: (any StoreViews)? { nil }

  /// Nil: the store opens only with the version of the model that it was written with.
  public var evolution: (any StoreEvolution)? { nil }

  /// Returns 0: the store does not tell.
  ///
  /// - Throws: Nothing.
  public func lastSequence() throws -> Int64 { 0 }

  /// Returns what matches a request, for an asker that has nothing.
  ///
  /// - Throws: What ``fetch(_:in:)`` throws.
  /// - Complexity: One round trip.
  public func fetch(_ request: ResolvedFetch) throws -> StoreFetchResult {
    try fetch(request, in: FetchContext())
  }

  /// Asks for one record as for many.
  ///
  /// - Parameter key: The record.
  /// - Throws: What ``rows(forKeys:)`` throws.
  /// - Complexity: One round trip.
  public func row(forKey key: Int64) throws -> Row? {
    try rows(forKeys: [key]).first { $0.key == key }
  }

  /// Finishes each request that has begun.
  ///
  /// - Parameter cancellation: Whose requests these are.
  public func cancellable(by cancellation: RequestCancellation) -> any PersistentStore { self }
}
