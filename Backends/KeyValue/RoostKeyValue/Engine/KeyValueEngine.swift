// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostStore

/// The storage engine of a ``KeyValueStore``: record tables, one per entity code, from keys to rows; entry tables,
/// from ordered byte keys to bytes; and a few named blobs.
///
/// Every call transfers many records at once: a leaf, a page, a batch. Many threads use an engine concurrently; each
/// requirement says what the engine must serialise or isolate.
///
/// ```swift
/// final class SortedFileEngine: KeyValueEngine {
///   func read(_ body: (any KeyValueSnapshot) throws -> Void) throws {
///     try body(current.withLock { $0 })
///   }
///   // ...
/// }
/// let store = try KeyValueStore(
///   engine: engine, description: description, storeType: "SortedFile")
/// ```
public protocol KeyValueEngine: AnyObject, Sendable {
  /// The longest key of an entry in bytes, at least 64; the store truncates and hashes longer ones.
  var longestEntryKey: Int { get }

  /// Adopts the row layouts of a model; from now on every row that is read has them.
  ///
  /// The store calls it while it is prepared, before it reads any record. Layouts belong to the model: the engine
  /// keeps the schema for as long as it has rows of these layouts.
  ///
  /// - Throws: `persistentStoreIncompatibleSchema` when the records cannot be read with these layouts.
  func adopt(_ schema: StoreSchema) throws

  /// Calls `body` once with an immutable snapshot. Readers do not wait for each other.
  func read(_ body: (any KeyValueSnapshot) throws -> Void) throws

  /// Calls `body` with the current state while other writers are excluded, then commits the batch durably: all of it
  /// or nothing. When `body` throws or leaves the batch empty, nothing is written.
  ///
  /// An engine that has to retry, such as one that ran out of space and has grown its file, calls `body` again with
  /// an empty batch; only the last call counts.
  ///
  /// - Parameters:
  ///   - cancellation: Ends the wait for other writers; a write that has begun is completed.
  ///   - body: Fills the batch; the engine sorts its entries with ``WriteBatch/order()`` before it reads them.
  /// - Throws: Any error of `body`; `readOnlyStore`, `storeBusy`, `persistentStoreSave` when nothing was written;
  ///   `commitOutcomeUnknown` when the engine cannot tell whether the batch was committed.
  func write(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws

  /// Whether ``writeInPortions(_:_:)`` flushes portions; otherwise a batch holds all changes until the end.
  var writesPortions: Bool { get }

  /// Writes like ``write(_:_:)``, but in portions, so that memory does not grow with the size of the write: all of
  /// it, durably, or nothing.
  ///
  /// - Parameters:
  ///   - cancellation: Ends the wait for other writers; a write that has begun is completed.
  ///   - body: Fills the batch, and flushes it with the function that comes with it, which leaves the batch empty;
  ///     the engine also writes what is left in the batch at the end. The snapshot shows the state before the write
  ///     throughout. When the body throws, nothing is written.
  /// - Throws: The errors of ``write(_:_:)``.
  func writeInPortions(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch, @escaping (inout WriteBatch) throws -> Void)
      throws
      ->
      Void
  ) throws

  /// Whether committed data survives the end of the process.
  var isDurable: Bool { get }

  /// Makes all that a read shows durable, also what another process has committed with less durability. An engine
  /// whose commits are durable when they can be read does nothing, as the default implementation does.
  ///
  /// - Throws: `persistentStoreOperation` when the data cannot be flushed.
  /// - Complexity: One flush at most.
  func makeDurable() throws

  /// Whether each record is read by its own stored format, even one of an earlier layout, so that records stay as
  /// they are when attributes are added, removed or renamed. Such an engine updates its formats for
  /// ``WriteBatch/change`` with ``RecordFormat/following(_:)``; for any other engine the migration rewrites all
  /// records whose layout changes.
  var keepsFormats: Bool { get }

  /// Whether records and entries that the model no longer has stay in place until a batch removes them, by the
  /// records' keys and the tables' numbers, whatever schema was adopted. A migration can then defer their removal,
  /// and the filling of indexes.
  var keepsRemoved: Bool { get }

  /// Calls `body` once with a snapshot whose rows have the layouts of a schema other than the adopted one: that of
  /// the model version with which the store was written.
  ///
  /// Called only for a store that is not prepared.
  ///
  /// - Parameters:
  ///   - schema: The layouts.
  ///   - body: Reads the snapshot.
  /// - Throws: The errors of ``adopt(_:)`` and ``read(_:)``.
  func read(as schema: StoreSchema, _ body: (any KeyValueSnapshot) throws -> Void) throws

  /// Writes the batch of a model migration: all of it or nothing.
  ///
  /// Called only for a store that is not prepared. The snapshot has the layouts of the source version, and the rows
  /// in the batch have those of the destination. For an engine without ``keepsFormats`` the batch has all records of
  /// an entity whose slots cannot be matched by name, or none.
  ///
  /// - Parameters:
  ///   - change: The source and the destination version.
  ///   - body: Fills the batch; an empty batch means that there is nothing to do.
  /// - Throws: The errors of ``adopt(_:)`` and ``write(_:_:)``.
  func evolve(
    _ change: SchemaChange, _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws

  /// Writes a model migration in portions, so that memory does not grow with the store: all of it or nothing, as
  /// ``evolve(_:_:)`` does.
  ///
  /// - Parameters:
  ///   - change: The source and the destination version.
  ///   - work: Writes the migration, and verifies it before the engine commits.
  /// - Throws: The errors of ``evolve(_:_:)``.
  func evolve(_ change: SchemaChange, by work: EvolutionWork) throws

  /// Whether ``frozen()`` is supported, so that contexts can read one state of the store for as long as they like.
  var canFreeze: Bool { get }

  /// Returns a read-only engine on the current snapshot, for as long as it is open.
  func frozen() throws -> any KeyValueEngine

  /// A number that is a higher one after every write, by whomever.
  func writeCount() throws -> UInt64

  /// The ability to say at once that it was written, by whomever; nil when the engine does not hear of it.
  var changeHints: (any StoreChangeHints)? { get }

  /// Releases all resources. Waits for running transactions.
  func close()
}

extension KeyValueEngine {
  /// Nil: a write is detected through ``writeCount()``.
  public var changeHints: (any StoreChangeHints)? { nil }

  /// False: all records of an entity have one layout.
  public var keepsFormats: Bool { false }
  /// True: the engine is a file.
  public var isDurable: Bool { true }

  /// Does nothing: what can be read is durable.
  public func makeDurable() throws {}

  /// False: the migration itself removes what the model no longer has.
  public var keepsRemoved: Bool { false }

  /// False: a batch holds all changes until the end.
  public var writesPortions: Bool { false }

  /// Writes everything at the end.
  public func writeInPortions(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch, @escaping (inout WriteBatch) throws -> Void)
      throws
      ->
      Void
  ) throws {
    try write(cancellation) { snapshot, batch in try body(snapshot, &batch) { _ in } }
  }

  /// Adopts the other layouts and reads.
  public func read(
    as schema: StoreSchema, _ body: (any KeyValueSnapshot) throws -> Void
  ) throws {
    try adopt(schema)
    try read(body)
  }

  /// Adopts the layouts of the source, writes, and adopts those of the destination.
  public func evolve(
    _ change: SchemaChange, _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    try adopt(change.source)
    let isWritten = try writing { snapshot, batch in
      try body(snapshot, &batch)
      return !batch.isEmpty
    }
    if isWritten { try adopt(change.destination) }
  }

  /// Writes everything in one batch, without verification: the engine cannot show a state that is not committed.
  public func evolve(_ change: SchemaChange, by work: EvolutionWork) throws {
    try evolve(change) { snapshot, batch in try work.write(snapshot, &batch) { _ in } }
  }

  /// Returns the result of `body` for one snapshot.
  @inline(__always)
  public func reading<Result>(
    _ body: (any KeyValueSnapshot) throws -> Result
  ) throws -> Result {
    var result: Result?
    try read { result = try body($0) }
    guard let result else { preconditionFailure("an engine calls the body") }
    return result
  }

  /// Writes for a caller that waits to the end.
  public func write(
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    try write(nil, body)
  }

  /// Returns the result of `body` after its batch was written.
  @inline(__always)
  public func writing<Result>(
    _ cancellation: RequestCancellation? = nil,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Result
  ) throws -> Result {
    var result: Result?
    try write(cancellation) {
      result = try body($0, &$1)
      try $1.checkSizes()
    }
    guard let result else { preconditionFailure("an engine calls the body") }
    return result
  }
}

/// A snapshot of an engine.
///
/// An engine must implement five of the requirements: counting records, the two ways to read rows, entries and blobs.
/// The others have default implementations based on these, which an engine can replace by faster ones.
///
/// ```swift
/// struct SortedState: KeyValueSnapshot {
///   func blob(named name: String) -> [UInt8]? { blobs[name] }
///   // ...
/// }
/// let count = try snapshot.recordCount(ofEntityCode: 1)
/// ```
public protocol KeyValueSnapshot {
  /// Returns the number of records of an entity code.
  func recordCount(ofEntityCode code: Int) throws -> Int

  /// Calls `body` with the rows of an entity code in the order of their keys, some at a time, until it returns false.
  /// ``RowChunk/withRows(_:_:)`` makes a chunk of rows.
  func scanRecords(
    ofEntityCode code: Int, need: RowNeed, _ body: (RowChunk) throws -> Bool
  ) throws

  /// The first keys of the records of an entity code above one, ascending; also of a code that the adopted schema does
  /// not have, where the engine ``KeyValueEngine/keepsRemoved``.
  func recordKeys(ofEntityCode code: Int, above key: Int64, limit: Int) throws -> [Int64]

  /// Calls `body` with the rows of keys in the order of the keys, some at a time, until it returns false; rows that
  /// are missing are nil. With each chunk comes the position of its first key.
  func withRows(
    forKeys keys: UnsafeBufferPointer<Int64>, need: RowNeed,
    _ body: (RowChunk, Int) throws -> Bool
  ) throws

  /// The row of one record; nil when there is none.
  func row(forKey key: Int64) throws -> Row?

  /// Calls `body` with the entries of a range, in chunks, until it returns false. A chunk is always in ascending
  /// order; descending means that the later chunks come first. ``EntryChunk/withEntries(_:_:)`` makes a chunk.
  func scanEntries(
    of table: EntryTable, in range: KeyRange, descending: Bool,
    _ body: (EntryChunk) throws -> Bool
  ) throws

  /// Calls `body` with the record keys at the end of a range's entries, in the order of
  /// ``scanEntries(of:in:descending:_:)``.
  func scanKeys(
    of table: EntryTable, in range: KeyRange, descending: Bool,
    _ body: (UnsafeBufferPointer<Int64>) throws -> Bool
  ) throws

  /// Returns the number of entries in a range.
  func entryCount(of table: EntryTable, in range: KeyRange) throws -> Int

  /// Returns a cheap estimate of the number of entries in a range.
  func estimatedEntryCount(of table: EntryTable, in range: KeyRange) throws -> Int

  /// The value of a key; nil when there is no entry.
  func value(of key: [UInt8], in table: EntryTable) throws -> [UInt8]?

  /// A named blob.
  func blob(named name: String) throws -> [UInt8]?

  /// Returns a number that changes with the blob `catalog`, the list of tables; every request reads it.
  func catalogStamp() throws -> UInt64
}

/// The number of an entry table in its store.
///
/// ```swift
/// let table = EntryTable(number: 3)
/// ```
public struct EntryTable: Hashable, Sendable, Codable {
  /// The number, which is positive and small: tables are numbered consecutively.
  public var number: Int

  /// Names a table.
  public init(number: Int) {
    self.number = number
  }
}
