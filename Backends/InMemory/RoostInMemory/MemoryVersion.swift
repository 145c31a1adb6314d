// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostModel
import RoostStore

/// A snapshot of a ``MemoryEngine``. A transaction makes another one; a small transaction changes it in place when it
/// has no other owner.
final class MemoryVersion: @unchecked Sendable {
  // Sendable: it is changed only by `change(_:)`, whose caller has the only reference, and holds the lock under which
  // others take references.

  @exclusivity(unchecked) private(set) var records: [RecordMap]
  /// The entries of each table, by the table's number.
  @exclusivity(unchecked) private var entries: [EntryMap]
  @exclusivity(unchecked) private(set) var blobs: [String: [UInt8]]
  @exclusivity(unchecked) private var stamp: UInt64
  /// The schemas whose layouts rows have or had: they keep the models alive.
  private let schemas: [StoreSchema]

  /// Makes a state.
  init(
    records: [RecordMap] = [], entries: [EntryMap] = [],
    blobs: [String: [UInt8]] = [:], schemas: [StoreSchema] = [], stamp: UInt64 = 0
  ) {
    self.records = records
    self.entries = entries
    self.blobs = blobs
    self.schemas = schemas
    self.stamp = stamp
  }

  /// The tables that have entries.
  var tables: [EntryTable] {
    entries.indices.filter { entries[$0].count > 0 }.map { EntryTable(number: $0) }
  }

  /// Returns the state with other records, which have the layouts of a schema.
  func replacing(_ records: [RecordMap], of schema: StoreSchema) -> MemoryVersion {
    let known = schemas.contains { $0 === schema }
    return MemoryVersion(
      records: records, entries: entries, blobs: blobs,
      schemas: known ? schemas : schemas + [schema], stamp: stamp)
  }

  /// The state after a transaction.
  func applying(_ batch: WriteBatch) -> MemoryVersion {
    var records = records
    for (code, changes) in batch.records {
      while records.count <= code { records.append(RecordMap()) }
      records[code] = records[code].applying(changes)
    }
    var entries = entries
    for table in batch.emptiedTables where table.number < entries.count {
      entries[table.number] = EntryMap()
    }
    for (table, changes) in batch.entries {
      while entries.count <= table.number { entries.append(EntryMap()) }
      entries[table.number] = entries[table.number].applying(EntryMap.changes(of: changes))
    }
    let next = MemoryVersion(
      records: records, entries: entries, blobs: blobs, schemas: schemas, stamp: stamp)
    next.setBlobs(of: batch)
    return next
  }

  /// Changes the snapshot in place; the caller has the only reference.
  ///
  /// - Parameter batch: A batch that ``WriteBatch/isSmall``.
  func change(_ batch: WriteBatch) {
    for (code, changes) in batch.records {
      while records.count <= code { records.append(RecordMap()) }
      for change in changes {
        if records[code].changeInPlace(change) { continue }
        records[code] = records[code].applying([change])
      }
    }
    for (table, changes) in batch.entries {
      while entries.count <= table.number { entries.append(EntryMap()) }
      var changes = changes
      changes.order()
      changes.forEach { change in
        let change = EntryMap.Change(change)
        if entries[table.number].changeInPlace(change) { return }
        entries[table.number] = entries[table.number].applying([change])
      }
    }
    setBlobs(of: batch)
  }

  private func setBlobs(of batch: WriteBatch) {
    for (name, bytes) in batch.blobs {
      blobs[name] = bytes
      if name == IndexCatalog.blobName { stamp = IndexCatalog.stamp(bytes) }
    }
  }
}

extension WriteBatch {
  /// Whether the batch is so small that changes in place cost less than new nodes.
  var isSmall: Bool {
    emptiedTables.isEmpty && records.allSatisfy { $0.changes.count <= 8 }
      && entries.allSatisfy { $0.changes.count <= 16 }
  }
}

extension EntryMap {
  /// The changes of a batch in the form of this map.
  static func changes(of batch: EntryBatch) -> [Change] {
    var batch = batch
    batch.order()
    var changes: [Change] = []
    changes.reserveCapacity(batch.count)
    batch.forEach { changes.append(Change($0)) }
    return changes
  }
}

extension EntryMap.Change {
  init(_ change: EntryBatch.Change) {
    entry = OwnedEntryKey(change.key, value: change.value)
    isRemoval = change.kind == .remove
  }
}

// MARK: - Reading

extension MemoryVersion: KeyValueSnapshot {
  func recordCount(ofEntityCode code: Int) -> Int {
    code < records.count ? records[code].count : 0
  }

  func scanRecords(
    ofEntityCode code: Int, need: RowNeed = .wholeRows, _ body: (RowChunk) throws -> Bool
  ) throws {
    guard code < records.count else { return }
    try records[code].scan { try body(RowChunk($0)) }
  }

  func withRows(
    forKeys keys: UnsafeBufferPointer<Int64>, need: RowNeed,
    _ body: (RowChunk, Int) throws -> Bool
  ) throws {
    try withUnsafeTemporaryAllocation(
      of: UnsafeRawPointer?.self, capacity: min(keys.count, MemoryVersion.portion)
    ) { rows in
      guard let start = rows.baseAddress else { return }
      for first in stride(from: 0, to: keys.count, by: MemoryVersion.portion) {
        let portion = UnsafeBufferPointer(
          rebasing: keys[first..<min(first + MemoryVersion.portion, keys.count)])
        find(portion, into: start)
        let found = UnsafeBufferPointer(start: UnsafePointer(start), count: portion.count)
        guard try body(RowChunk(found), first) else { return }
      }
    }
  }

  func row(forKey key: Int64) -> Row? {
    var address: UnsafeRawPointer?
    withUnsafePointer(to: key) { find(UnsafeBufferPointer(start: $0, count: 1), into: &address) }
    // The version keeps the row alive until it is retained.
    return address.map {
      Row(storage: Unmanaged<RowStorage>.fromOpaque($0).takeUnretainedValue())
    }
  }

  /// The number of rows that are looked up before the reader may stop.
  private static let portion = 512

  private func find(
    _ keys: UnsafeBufferPointer<Int64>, into rows: UnsafeMutablePointer<UnsafeRawPointer?>
  ) {
    var start = 0
    while start < keys.count {
      let code = RecordKey.entityCode(of: keys[start])
      var end = start + 1
      while end < keys.count, RecordKey.entityCode(of: keys[end]) == code { end += 1 }
      let map = code < records.count ? records[code] : RecordMap()
      map.find(UnsafeBufferPointer(rebasing: keys[start..<end]), into: rows + start)
      start = end
    }
  }

  private func map(of table: EntryTable) -> EntryMap {
    table.number < entries.count ? entries[table.number] : EntryMap()
  }

  func scanEntries(
    of table: EntryTable, in range: KeyRange, descending: Bool,
    _ body: (EntryChunk) throws -> Bool
  ) throws {
    let map = map(of: table)
    try map.scan(range, descending: descending) { keys in
      try withUnsafeTemporaryAllocation(of: EntryChunk.Entry.self, capacity: keys.count) { chunk in
        guard let start = keys.baseAddress else { return true }
        for index in keys.indices {
          EntryKey.withBytes(at: start + index) { key, value in
            chunk.initializeElement(at: index, to: EntryChunk.Entry(key: key, value: value))
          }
        }
        return try body(EntryChunk(UnsafeBufferPointer(chunk)))
      }
    }
  }

  func scanKeys(
    of table: EntryTable, in range: KeyRange, descending: Bool,
    _ body: (UnsafeBufferPointer<Int64>) throws -> Bool
  ) throws {
    let map = map(of: table)
    var isFirst = !descending
    try map.scan(range, descending: descending) { keys in
      guard isFirst, keys.count > MemoryVersion.firstKeys else {
        return try MemoryVersion.withRecordKeys(of: keys, body)
      }
      // A request for one record needs one key of a leaf.
      isFirst = false
      let some = UnsafeBufferPointer(rebasing: keys[..<MemoryVersion.firstKeys])
      guard try MemoryVersion.withRecordKeys(of: some, body) else { return false }
      let others = UnsafeBufferPointer(rebasing: keys[MemoryVersion.firstKeys...])
      return try MemoryVersion.withRecordKeys(of: others, body)
    }
  }

  /// The number of keys that a reader of a range gets at first.
  private static let firstKeys = 8

  private static func withRecordKeys(
    of keys: UnsafeBufferPointer<EntryKey>, _ body: (UnsafeBufferPointer<Int64>) throws -> Bool
  ) rethrows -> Bool {
    guard let start = keys.baseAddress else { return true }
    return try withUnsafeTemporaryAllocation(of: Int64.self, capacity: keys.count) { recordKeys in
      for index in keys.indices {
        recordKeys.initializeElement(at: index, to: EntryKey.lastWord(at: start + index))
      }
      return try body(UnsafeBufferPointer(recordKeys))
    }
  }

  func entryCount(of table: EntryTable, in range: KeyRange) -> Int {
    let map = map(of: table)
    let end = range.upper.map { map.rank(of: $0) } ?? map.count
    return max(0, end - map.rank(of: range.lower))
  }

  func estimatedEntryCount(of table: EntryTable, in range: KeyRange) -> Int {
    entryCount(of: table, in: range)
  }

  func value(of key: [UInt8], in table: EntryTable) -> [UInt8]? {
    map(of: table).value(of: key)
  }

  func blob(named name: String) -> [UInt8]? { blobs[name] }

  func catalogStamp() -> UInt64 { stamp }
}
