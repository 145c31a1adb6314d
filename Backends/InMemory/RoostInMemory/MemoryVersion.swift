// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostModel
import RoostStore

/// The state of a ``MemoryEngine`` at one moment: copying it copies four references.
struct MemoryVersion: Sendable {
  private(set) var records: [RecordMap] = []
  private(set) var entries: [EntryTable: EntryMap] = [:]
  private(set) var blobs: [String: [UInt8]] = [:]
  /// The schemas whose layouts rows have or had: they keep the models alive.
  private var schemas: [StoreSchema] = []

  /// Keeps a schema alive as long as its rows may be.
  mutating func retain(_ schema: StoreSchema) {
    if !schemas.contains(where: { $0 === schema }) { schemas.append(schema) }
  }

  /// Puts rows in the place of all rows of an entity code.
  mutating func replaceRecords(ofEntityCode code: Int, with changes: [RecordChange]) {
    while records.count <= code { records.append(RecordMap()) }
    records[code] = RecordMap().applying(changes)
  }

  /// The state after a transaction.
  func applying(_ batch: WriteBatch) -> MemoryVersion {
    var next = self
    for (code, changes) in batch.records {
      while next.records.count <= code { next.records.append(RecordMap()) }
      next.records[code] = next.records[code].applying(changes)
    }
    for table in batch.emptiedTables { next.entries[table] = nil }
    for (table, changes) in batch.entries {
      let map = (next.entries[table] ?? EntryMap()).applying(EntryMap.changes(of: changes))
      next.entries[table] = map.count == 0 ? nil : map
    }
    for (name, bytes) in batch.blobs { next.blobs[name] = bytes }
    return next
  }
}

extension EntryMap {
  /// The changes of a batch in the form of this map.
  static func changes(of batch: EntryBatch) -> [Change] {
    var batch = batch
    batch.order()
    var changes: [Change] = []
    changes.reserveCapacity(batch.count)
    batch.forEach { change in
      changes.append(
        Change(
          entry: OwnedEntryKey(change.key, value: change.value),
          isRemoval: change.kind == .remove))
    }
    return changes
  }
}

// MARK: - Reading

extension MemoryVersion: KeyValueSnapshot {
  func recordCount(ofEntityCode code: Int) -> Int {
    code < records.count ? records[code].count : 0
  }

  func scanRecords(ofEntityCode code: Int, _ body: (RowChunk) throws -> Bool) throws {
    guard code < records.count else { return }
    try records[code].scan { try body(RowChunk($0)) }
  }

  func withRows<Result>(
    forKeys keys: UnsafeBufferPointer<Int64>, _ body: (RowChunk) throws -> Result
  ) throws -> Result {
    try withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: keys.count) { rows in
      for index in keys.indices {
        let code = RecordKey.entityCode(of: keys[index])
        let sequence = RecordKey.sequence(of: keys[index])
        rows.initializeElement(
          at: index,
          to: code < records.count ? records[code].address(forSequence: sequence) : nil)
      }
      return try body(RowChunk(UnsafeBufferPointer(rows)))
    }
  }

  func scanEntries(
    of table: EntryTable, in range: KeyRange, descending: Bool,
    _ body: (EntryChunk) throws -> Bool
  ) throws {
    guard let map = entries[table] else { return }
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
    guard let map = entries[table] else { return }
    try map.scan(range, descending: descending) { keys in
      try withUnsafeTemporaryAllocation(of: Int64.self, capacity: keys.count) { recordKeys in
        guard let start = keys.baseAddress else { return true }
        for index in keys.indices {
          recordKeys.initializeElement(at: index, to: EntryKey.lastWord(at: start + index))
        }
        return try body(UnsafeBufferPointer(recordKeys))
      }
    }
  }

  func entryCount(of table: EntryTable, in range: KeyRange) -> Int {
    guard let map = entries[table] else { return 0 }
    let end = range.upper.map { map.rank(of: $0) } ?? map.count
    return max(0, end - map.rank(of: range.lower))
  }

  func estimatedEntryCount(of table: EntryTable, in range: KeyRange) -> Int {
    entryCount(of: table, in: range)
  }

  func value(of key: [UInt8], in table: EntryTable) -> [UInt8]? {
    entries[table]?.value(of: key)
  }

  func blob(named name: String) -> [UInt8]? { blobs[name] }
}
