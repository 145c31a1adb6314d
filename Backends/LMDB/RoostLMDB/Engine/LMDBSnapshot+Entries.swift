// SPDX-License-Identifier: Apache-2.0

import CLMDB
import RoostKeyValue
import RoostModel

extension LMDBSnapshot {
  func scanEntries(
    of table: EntryTable, in range: KeyRange, descending: Bool,
    _ body: (EntryChunk) throws -> Bool
  ) throws {
    typealias Entry = EntryChunk.Entry
    try withUnsafeTemporaryAllocation(of: Entry.self, capacity: Self.largestChunk) { entries in
      var size = Self.smallestChunk
      var count = 0
      /// A backward scan finds the entries in descending order, so the chunk is filled from its end.
      func chunk() -> UnsafeMutableBufferPointer<Entry> {
        .init(rebasing: descending ? entries[(size - count)..<size] : entries[..<count])
      }
      let isWanted = try walk(table, range, descending: descending) { key, value in
        entries.initializeElement(
          at: descending ? size - 1 - count : count, to: Entry(key: key.bytes, value: value.bytes))
        count += 1
        guard count == size else { return true }
        guard try body(EntryChunk(UnsafeBufferPointer(chunk()))) else { return false }
        count = 0
        size = min(size * 4, Self.largestChunk)
        return true
      }
      if isWanted, count > 0 { _ = try body(EntryChunk(UnsafeBufferPointer(chunk()))) }
    }
  }

  func scanKeys(
    of table: EntryTable, in range: KeyRange, descending: Bool,
    _ body: (UnsafeBufferPointer<Int64>) throws -> Bool
  ) throws {
    try withUnsafeTemporaryAllocation(of: Int64.self, capacity: Self.largestChunk) { keys in
      var size = Self.smallestChunk
      var count = 0
      func chunk() -> UnsafeMutableBufferPointer<Int64> {
        .init(rebasing: descending ? keys[(size - count)..<size] : keys[..<count])
      }
      let isWanted = try walk(table, range, descending: descending) { key, _ in
        keys.initializeElement(
          at: descending ? size - 1 - count : count,
          to: KeyEncoding.recordKey(atEndOf: key.bytes))
        count += 1
        guard count == size else { return true }
        guard try body(UnsafeBufferPointer(chunk())) else { return false }
        count = 0
        size = min(size * 4, Self.largestChunk)
        return true
      }
      if isWanted, count > 0 { _ = try body(UnsafeBufferPointer(chunk())) }
    }
  }

  /// The first chunk is small, because a request with a limit may have enough of it.
  private static let smallestChunk = 4
  private static let largestChunk = 256

  func entryCount(of table: EntryTable, in range: KeyRange) throws -> Int {
    guard let handle = tables.entries(of: table) else { return 0 }
    if range == .all { return try count(of: handle) }
    var count = 0
    _ = try walk(table, range, descending: false) { _, _ in
      count += 1
      return true
    }
    return count
  }

  func estimatedEntryCount(of table: EntryTable, in range: KeyRange) throws -> Int {
    guard let handle = tables.entries(of: table) else { return 0 }
    let all = try count(of: handle)
    guard range != .all, all > 0 else { return all }
    var count = 0
    let isSmall = try walk(table, range, descending: false) { _, _ in
      count += 1
      return count < Self.countedEntries
    }
    return isSmall ? count : max(count, all / 3)
  }

  /// The most entries that are counted one by one; LMDB does not know the position of a key.
  private static let countedEntries = 256

  func value(of key: [UInt8], in table: EntryTable) throws -> [UInt8]? {
    guard let table = tables.entries(of: table) else { return nil }
    return try key.withUnsafeBytes { bytes in
      var key = MDB_val(bytes)
      var value = MDB_val()
      let code = mdb_get(transaction, table, &key, &value)
      if code == MDB_NOTFOUND { return nil }
      try LMDBError.check(code, "look up an entry")
      return Array(value.bytes)
    }
  }
}

// MARK: - Walking

extension LMDBSnapshot {
  /// Calls `body` with the entries of a range in order, until it returns false.
  ///
  /// - Returns: Whether `body` returned true to the end.
  @inline(__always)
  private func walk(
    _ table: EntryTable, _ range: KeyRange, descending: Bool,
    _ body: (MDB_val, MDB_val) throws -> Bool
  ) throws -> Bool {
    guard let table = tables.entries(of: table), !range.isEmpty else { return true }
    return try withCursor(table) { cursor in
      var key = MDB_val()
      var value = MDB_val()
      var code =
        descending
        ? seekEnd(cursor, range, &key, &value) : seekStart(cursor, range, &key, &value)
      let next = descending ? MDB_PREV : MDB_NEXT
      let bound = descending ? range.lower : range.upper
      return try (bound ?? []).withUnsafeBytes { limit in
        let isBounded = bound != nil && !limit.isEmpty
        while code == MDB_SUCCESS {
          guard key.mv_size >= KeyEncoding.recordKeyCount else {
            throw PersistenceError(.corruptStore, "A key of an index is damaged.")
          }
          if isBounded {
            let order = KeyEncoding.compare(key.bytes, limit)
            if descending ? order < 0 : order >= 0 { return true }
          }
          guard try body(key, value) else { return false }
          code = mdb_cursor_get(cursor, &key, &value, next)
        }
        guard code == MDB_NOTFOUND else { throw LMDBError(code: code, operation: "walk an index") }
        return true
      }
    }
  }

  /// Positions the cursor at the first entry of a range.
  private func seekStart(
    _ cursor: OpaquePointer, _ range: KeyRange, _ key: inout MDB_val, _ value: inout MDB_val
  ) -> Int32 {
    guard !range.lower.isEmpty else { return mdb_cursor_get(cursor, &key, &value, MDB_FIRST) }
    return seek(cursor, range.lower, &key, &value)
  }

  /// Positions the cursor at the last entry of a range: the one before its upper bound.
  private func seekEnd(
    _ cursor: OpaquePointer, _ range: KeyRange, _ key: inout MDB_val, _ value: inout MDB_val
  ) -> Int32 {
    guard let upper = range.upper else { return mdb_cursor_get(cursor, &key, &value, MDB_LAST) }
    let code = seek(cursor, upper, &key, &value)
    switch code {
    case MDB_SUCCESS: return mdb_cursor_get(cursor, &key, &value, MDB_PREV)
    case MDB_NOTFOUND: return mdb_cursor_get(cursor, &key, &value, MDB_LAST)
    default: return code
    }
  }

  /// Positions the cursor at the first entry that is not before a bound.
  private func seek(
    _ cursor: OpaquePointer, _ bound: [UInt8], _ key: inout MDB_val, _ value: inout MDB_val
  ) -> Int32 {
    // No key is longer than this, so the first key at or after a longer bound is the first key after its prefix, or
    // the prefix itself.
    bound.withUnsafeBytes { bytes in
      let start = UnsafeRawBufferPointer(rebasing: bytes.prefix(LMDBEngine.longestKey))
      key = MDB_val(start)
      return mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
    }
  }
}
