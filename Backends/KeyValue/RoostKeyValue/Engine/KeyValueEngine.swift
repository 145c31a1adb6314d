// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostStore

/// What keeps the tables of a ``KeyValueStore``: record tables, one for each entity code, from keys to rows; entry
/// tables, from ordered byte keys to bytes; and a few named blobs.
///
/// Everything that crosses this border is about many records: a leaf, a page, a batch. An engine is used by many
/// threads at once; what it must keep apart is said with each requirement.
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
  /// The longest key in bytes that an entry can have, at least 64; longer ones are cut and hashed.
  var longestEntryKey: Int { get }

  /// Takes the layouts of a model: from now on every row that is read has them.
  ///
  /// It is called when a store is prepared, before anything is read of its records. Layouts belong to the model: the
  /// engine keeps the schema for as long as it has rows of these layouts.
  ///
  /// - Throws: `persistentStoreIncompatibleSchema` when the records cannot be read as the layouts say.
  func adopt(_ schema: StoreSchema) throws

  /// Calls `body` once, with one snapshot, which nobody changes meanwhile. Readers do not wait for each other.
  func read(_ body: (any KeyValueSnapshot) throws -> Void) throws

  /// Calls `body` with the current state, keeping other writers away, and then does what the batch says: all of it,
  /// durably, or nothing. When `body` throws or leaves the batch empty, nothing is written.
  ///
  /// An engine that has to begin again, as one that ran out of room and has made more, calls `body` again with an empty
  /// batch; the last call counts.
  ///
  /// - Parameters:
  ///   - cancellation: What ends waiting for other writers; what is being written is written.
  ///   - body: Fills the batch; its entries are to be put in order, by ``WriteBatch/order()``, before they are read.
  /// - Throws: What `body` throws; `readOnlyStore`, `storeBusy`, `persistentStoreSave` when nothing was written;
  ///   `commitOutcomeUnknown` when it cannot be said whether the batch was.
  func write(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws

  /// Whether ``writeInPortions(_:_:)`` hands portions over; otherwise a batch holds everything until the end.
  var writesPortions: Bool { get }

  /// Does what ``write(_:_:)`` does in portions, so that memory does not grow with what is written: all of it, durably,
  /// or nothing.
  ///
  /// - Parameters:
  ///   - cancellation: What ends waiting for other writers; what is being written is written.
  ///   - body: Fills the batch, and hands it over to the function that comes with it, which leaves it empty; what is
  ///     left in it at the end is written too. The snapshot shows the state from before throughout. When the body
  ///     throws, nothing is written.
  /// - Throws: What ``write(_:_:)`` throws.
  func writeInPortions(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch, @escaping (inout WriteBatch) throws -> Void)
      throws
      ->
      Void
  ) throws

  /// Whether what was written is there after the process has ended.
  var isDurable: Bool { get }

  /// Whether records are read by what the format of each says, also those of an earlier layout, and so stay as they are
  /// when attributes are added, removed and renamed. Such an engine lets its formats follow ``WriteBatch/change`` by
  /// ``RecordFormat/following(_:)``; for any other one, all records that look otherwise now are written anew.
  var keepsFormats: Bool { get }

  /// Whether records and entries stay where they are when the model does not have what they belong to any more, until
  /// a batch removes them: by the records' keys and the tables' numbers, whatever schema was adopted. A migration can
  /// leave them to be removed later then, and indexes to be filled.
  var keepsRemoved: Bool { get }

  /// Calls `body` once, with one snapshot, whose rows have the layouts of another schema than the one that was adopted:
  /// that of the version of the model that the store was written with.
  ///
  /// Called for a store that is not prepared.
  ///
  /// - Parameters:
  ///   - schema: The layouts.
  ///   - body: Reads.
  /// - Throws: What ``adopt(_:)`` and ``read(_:)`` throw.
  func read(as schema: StoreSchema, _ body: (any KeyValueSnapshot) throws -> Void) throws

  /// Writes a batch that brings the store to another version of its model: all or nothing.
  ///
  /// Called for a store that is not prepared. The snapshot has the layouts of the change's source, and the rows in the
  /// batch have those of its destination. For an engine without ``keepsFormats`` the batch has all records of an entity
  /// whose layout is not found by the names of its slots, or none.
  ///
  /// - Parameters:
  ///   - change: The two versions.
  ///   - body: Fills the batch; one that stays empty says that there is nothing to be done.
  /// - Throws: What ``adopt(_:)`` and ``write(_:_:)`` throw.
  func evolve(
    _ change: SchemaChange, _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws

  /// Writes what brings the store to another version of its model in portions, so that memory does not grow with the
  /// store: all or nothing, as ``evolve(_:_:)`` does.
  ///
  /// - Parameters:
  ///   - change: The two versions.
  ///   - work: What is written, and how it is judged before it is made valid.
  /// - Throws: What ``evolve(_:_:)`` throws.
  func evolve(_ change: SchemaChange, by work: EvolutionWork) throws

  /// Whether ``frozen()`` can be called. Contexts can then read one state of the store for as long as they like.
  var canFreeze: Bool { get }

  /// Returns an engine that shows the state of now for as long as it is open, and takes no writes.
  func frozen() throws -> any KeyValueEngine

  /// A number that is a higher one after every write, by whomever.
  func writeCount() throws -> UInt64

  /// The ability to say at once that it was written, by whomever; nil when the engine does not hear of it.
  var changeHints: (any StoreChangeHints)? { get }

  /// Lets go of everything. Waits for transactions under way.
  func close()
}

extension KeyValueEngine {
  /// Nil: writes are found when ``writeCount()`` is asked for.
  public var changeHints: (any StoreChangeHints)? { nil }

  /// False: all records of an entity have one layout.
  public var keepsFormats: Bool { false }
  /// True: the engine is a file.
  public var isDurable: Bool { true }

  /// False: what the model does not have any more goes with the migration.
  public var keepsRemoved: Bool { false }

  /// False: a batch holds everything until the end.
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

  /// Writes everything at the end, and judges nothing: the engine has no way to show what is not valid yet.
  public func evolve(_ change: SchemaChange, by work: EvolutionWork) throws {
    try evolve(change) { snapshot, batch in try work.write(snapshot, &batch) { _ in } }
  }

  /// Returns what `body` makes of one snapshot.
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

  /// Returns what `body` says, after its batch was written.
  @inline(__always)
  public func writing<Result>(
    _ cancellation: RequestCancellation? = nil,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Result
  ) throws -> Result {
    var result: Result?
    try write(cancellation) { result = try body($0, &$1) }
    guard let result else { preconditionFailure("an engine calls the body") }
    return result
  }
}

/// The state of an engine at one moment.
///
/// An engine that has everything at hand needs five of the requirements: counting records, the two ways to read rows,
/// entries and blobs. The others have implementations that are made of these, and are there for engines that have a
/// shorter way.
///
/// ```swift
/// struct SortedState: KeyValueSnapshot {
///   func blob(named name: String) -> [UInt8]? { blobs[name] }
///   // ...
/// }
/// let count = try snapshot.recordCount(ofEntityCode: 1)
/// ```
public protocol KeyValueSnapshot {
  /// How many records an entity code has.
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

  /// Calls `body` with the entries of a range, some at a time, until it returns false. A chunk is always in ascending
  /// order; descending means that the later chunks come first. ``EntryChunk/withEntries(_:_:)`` makes a chunk.
  func scanEntries(
    of table: EntryTable, in range: KeyRange, descending: Bool,
    _ body: (EntryChunk) throws -> Bool
  ) throws

  /// Calls `body` with the record keys with which the entries of a range end, in the order of
  /// ``scanEntries(of:in:descending:_:)``.
  func scanKeys(
    of table: EntryTable, in range: KeyRange, descending: Bool,
    _ body: (UnsafeBufferPointer<Int64>) throws -> Bool
  ) throws

  /// How many entries a range has.
  func entryCount(of table: EntryTable, in range: KeyRange) throws -> Int

  /// About how many entries a range has, at a small price.
  func estimatedEntryCount(of table: EntryTable, in range: KeyRange) throws -> Int

  /// The value of a key; nil when there is no entry.
  func value(of key: [UInt8], in table: EntryTable) throws -> [UInt8]?

  /// A named blob.
  func blob(named name: String) throws -> [UInt8]?

  /// A number that changes with the blob that lists the tables, which is called `catalog`: asked for by every request.
  func catalogStamp() throws -> UInt64
}

/// The number of an entry table in its store.
///
/// ```swift
/// let table = EntryTable(number: 3)
/// ```
public struct EntryTable: Hashable, Sendable, Codable {
  /// The number, which is positive and small: tables are numbered as they are made.
  public var number: Int

  /// Names a table.
  public init(number: Int) {
    self.number = number
  }
}

/// Keys from a lower bound up to, but without, an upper bound; nil is above all keys. Keys are compared byte by byte.
///
/// ```swift
/// let range = KeyRange(lower: [1], upper: [2])  // all keys that begin with 1
/// ```
public struct KeyRange: Hashable, Sendable {
  /// The first key that can be in the range.
  public var lower: [UInt8]
  /// The first key above the range; nil when nothing is above it.
  public var upper: [UInt8]?

  /// Makes a range of its bounds.
  public init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }

  /// All keys.
  public static let all = KeyRange(lower: [], upper: nil)

  /// The keys that begin with a prefix.
  public init(prefix: [UInt8]) {
    self.init(lower: prefix, upper: KeyRange.successor(of: prefix))
  }

  /// The first key after all those that begin with a prefix; nil when there is none.
  public static func successor(of prefix: [UInt8]) -> [UInt8]? {
    guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
    var successor = Array(prefix[...last])
    successor[last] += 1
    return successor
  }

  /// Whether a key is in the range.
  public func contains(_ key: [UInt8]) -> Bool {
    !key.lexicographicallyPrecedes(lower)
      && upper.map { key.lexicographicallyPrecedes($0) } ?? true
  }

  /// Whether no key can be in the range.
  public var isEmpty: Bool {
    guard let upper else { return false }
    return !lower.lexicographicallyPrecedes(upper)
  }
}
