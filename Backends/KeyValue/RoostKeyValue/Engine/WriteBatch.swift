// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostStore

/// All changes of one write transaction.
///
/// An engine writes the records, empties the tables, writes the entries and then the blobs.
///
/// ```swift
/// for (code, changes) in batch.records {
///   for change in changes { write(change.row, forKey: change.key, entityCode: code) }
/// }
/// ```
public struct WriteBatch: Sendable {
  // A save writes few entities and few tables: a linear search in a list is faster than hashing.

  /// The changes of records by entity code, each list ordered by key; each record occurs once.
  public private(set) var records: [(code: Int, changes: [RecordChange])] = []
  /// The changes of entries by table.
  public private(set) var entries: [(table: EntryTable, changes: EntryBatch)] = []
  /// The tables that are emptied before entries are written.
  public private(set) var emptiedTables: Set<EntryTable> = []
  /// Named blobs to replace, or to remove when nil.
  public private(set) var blobs: [String: [UInt8]?] = [:]
  /// The model migration to which the batch belongs; nil for most batches. The rows of such a batch have the layouts
  /// of its destination; an engine that ``KeyValueEngine/keepsFormats`` updates its formats for it.
  public private(set) var change: SchemaChange?

  /// Makes a batch that writes nothing.
  public init() {}

  /// Whether there is nothing to write.
  public var isEmpty: Bool {
    records.isEmpty && entries.isEmpty && emptiedTables.isEmpty && blobs.isEmpty
  }

  /// Writes or removes records.
  ///
  /// - Parameter changes: Each record once, in any order.
  package mutating func change(_ changes: consuming [RecordChange]) {
    var changes = changes
    if !changes.isOrdered { changes.sort { $0.key < $1.key } }
    // Most saves write few entities: the common case passes the array on without a copy.
    guard let first = changes.first else { return }
    let code = RecordKey.entityCode(of: first.key)
    if records.isEmpty, changes.allSatisfy({ RecordKey.entityCode(of: $0.key) == code }) {
      records.append((code, changes))
      return
    }
    // New records of one entity are usually adjacent.
    var start = 0
    while start < changes.count {
      let code = RecordKey.entityCode(of: changes[start].key)
      var end = start + 1
      while end < changes.count, RecordKey.entityCode(of: changes[end].key) == code { end += 1 }
      if let known = records.firstIndex(where: { $0.code == code }) {
        records[known].changes.append(contentsOf: changes[start..<end])
      } else {
        records.append((code, Array(changes[start..<end])))
      }
      start = end
    }
  }

  /// Makes room for the entries of a number of tables.
  package mutating func reserveTables(_ count: Int) {
    entries.reserveCapacity(entries.count + count)
  }

  /// Changes the entries of a table.
  package mutating func changeEntries(
    of table: EntryTable, _ body: (inout EntryBatch) throws -> Void
  ) rethrows {
    if let known = entries.firstIndex(where: { $0.table == table }) {
      return try body(&entries[known].changes)
    }
    var batch = EntryBatch()
    defer { if !batch.isEmpty || batch.refusedSize != nil { entries.append((table, batch)) } }
    try body(&batch)
  }

  /// Adds changes of the entries of a table.
  package mutating func addEntries(_ entries: EntryBatch, of table: EntryTable) {
    changeEntries(of: table) { $0.append(contentsOf: entries) }
  }

  /// Refuses a batch with an entry that is too large.
  ///
  /// - Throws: `limitExceeded`.
  package func checkSizes() throws {
    for (_, changes) in entries {
      guard let size = changes.refusedSize else { continue }
      throw PersistenceError(
        .limitExceeded,
        "A value of an index, or the changes of a save in the history, would take \(size) bytes, "
          + "and one entry can have 4 GiB at most: index no attributes with such values, and make "
          + "smaller saves.")
    }
  }

  /// Sorts the changes of all entries.
  public mutating func order() {
    for index in entries.indices { entries[index].changes.order() }
  }

  /// Removes all entries of a table.
  package mutating func empty(_ table: EntryTable) {
    emptiedTables.insert(table)
    entries.removeAll { $0.table == table }
  }

  /// Marks the batch as part of a model migration.
  package mutating func follow(_ change: SchemaChange) {
    self.change = change
  }

  /// Replaces a named blob, or removes it.
  package mutating func setBlob(_ bytes: [UInt8]?, named name: String) {
    blobs[name] = .some(bytes)
  }
}

/// A record that is written, or removed when there is no row.
///
/// ```swift
/// if let row = change.row { rows[change.key] = row } else { rows[change.key] = nil }
/// ```
public struct RecordChange: Sendable {
  /// The key of the record.
  public var key: Int64
  /// The new row; nil removes the record.
  public var row: Row?

  /// Makes a change.
  public init(key: Int64, row: Row?) {
    self.key = key
    self.row = row
  }
}

extension [RecordChange] {
  fileprivate var isOrdered: Bool {
    var previous = Int64.min
    for change in self {
      guard change.key > previous else { return false }
      previous = change.key
    }
    return true
  }
}
