// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostModel

/// A snapshot of the whole store: sorted arrays, which are immutable while they are shared.
struct SortedFileState: KeyValueSnapshot, Sendable {
  /// The records of each entity code, ordered by key.
  var records: [Int: [Record]] = [:]
  /// The entries of each table, ordered by the bytes of their keys.
  var entries: [EntryTable: [Entry]] = [:]
  var blobs: [String: [UInt8]] = [:]

  typealias Record = (key: Int64, value: Row)
  typealias Entry = (key: [UInt8], value: [UInt8])

  /// The number of rows or entries of a chunk.
  private static let portion = 256

  // MARK: Records

  func recordCount(ofEntityCode code: Int) -> Int { records[code]?.count ?? 0 }

  func scanRecords(
    ofEntityCode code: Int, need: RowNeed, _ body: (RowChunk) throws -> Bool
  ) throws {
    let records = records[code] ?? []
    for start in stride(from: 0, to: records.count, by: Self.portion) {
      let portion = records[start..<min(start + Self.portion, records.count)]
      guard try RowChunk.withRows(portion.lazy.map(\.value), body) else { return }
    }
  }

  func withRows(
    forKeys keys: UnsafeBufferPointer<Int64>, need: RowNeed,
    _ body: (RowChunk, Int) throws -> Bool
  ) throws {
    for start in stride(from: 0, to: keys.count, by: Self.portion) {
      let rows = keys[start..<min(start + Self.portion, keys.count)].map { row(forKey: $0) }
      guard try RowChunk.withRows(rows, { try body($0, start) }) else { return }
    }
  }

  func row(forKey key: Int64) -> Row? {
    let records = records[RecordKey.entityCode(of: key)] ?? []
    let place = records.place(of: key, by: <)
    return place < records.count && records[place].key == key ? records[place].value : nil
  }

  // MARK: Entries

  func scanEntries(
    of table: EntryTable, in range: KeyRange, descending: Bool, _ body: (EntryChunk) throws -> Bool
  ) throws {
    let (entries, places) = places(of: table, in: range)
    let starts = Array(stride(from: places.lowerBound, to: places.upperBound, by: Self.portion))
    for start in descending ? starts.reversed() : starts {
      let portion = entries[start..<min(start + Self.portion, places.upperBound)]
      guard try EntryChunk.withEntries(portion, body) else { return }
    }
  }

  func entryCount(of table: EntryTable, in range: KeyRange) -> Int {
    places(of: table, in: range).places.count
  }

  private func places(
    of table: EntryTable, in range: KeyRange
  ) -> (entries: [Entry], places: Range<Int>) {
    let entries = entries[table] ?? []
    let lower = entries.place(of: range.lower) { $0.lexicographicallyPrecedes($1) }
    let upper = range.upper.map { entries.place(of: $0) { $0.lexicographicallyPrecedes($1) } }
    return (entries, lower..<max(lower, upper ?? entries.count))
  }

  func blob(named name: String) -> [UInt8]? { blobs[name] }
}

// MARK: - Writing

extension SortedFileState {
  /// The state after a transaction.
  ///
  /// - Complexity: O(members of the tables that are changed).
  func applying(_ batch: WriteBatch) -> SortedFileState {
    var next = self
    for (code, changes) in batch.records {
      next.records[code] = (records[code] ?? []).merged(
        with: changes.map { ($0.key, $0.row) }, by: <)
    }
    for table in batch.emptiedTables { next.entries[table] = nil }
    for (table, batch) in batch.entries {
      var (changes, ordered): ([([UInt8], [UInt8]?)], EntryBatch) = ([], batch)
      ordered.order()
      ordered.forEach { change in
        changes.append((Array(change.key), change.kind == .remove ? nil : Array(change.value)))
      }
      next.entries[table] = (next.entries[table] ?? []).merged(with: changes) {
        $0.lexicographicallyPrecedes($1)
      }
    }
    for (name, bytes) in batch.blobs { next.blobs[name] = bytes }
    return next
  }
}

extension Array {
  /// The index of the first member whose key is not less than another one.
  fileprivate func place<Key, Value>(
    of key: Key, by precedes: (Key, Key) -> Bool
  ) -> Int where Element == (key: Key, value: Value) {
    var (lower, upper) = (0, count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if precedes(self[middle].key, key) { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }

  /// Returns the members after changes, which are ordered; a change without a value removes the member.
  fileprivate func merged<Key, Value>(
    with changes: [(Key, Value?)], by precedes: (Key, Key) -> Bool
  ) -> [(key: Key, value: Value)] where Element == (key: Key, value: Value) {
    var result: [Element] = []
    result.reserveCapacity(count + changes.count)
    var old = startIndex
    for (key, value) in changes {
      let place = old + self[old...].prefix { precedes($0.key, key) }.count
      result += self[old..<place]
      old = place < endIndex && !precedes(key, self[place].key) ? place + 1 : place
      if let value { result.append((key, value)) }
    }
    return result + self[old...]
  }
}
