// SPDX-License-Identifier: Apache-2.0

import CLMDB
import RoostKeyValue
import RoostModel

extension LMDBSnapshot: KeyValueSnapshot {
  func recordCount(ofEntityCode code: Int) throws -> Int {
    guard let table = tables.records(ofEntityCode: code) else { return 0 }
    return try count(of: table)
  }

  func scanRecords(
    ofEntityCode code: Int, need: RowNeed, _ body: (RowChunk) throws -> Bool
  ) throws {
    guard let table = tables.records(ofEntityCode: code) else { return }
    try withCursor(table) { cursor in
      try withBatch(need) { batch in
        var key = MDB_val()
        var value = MDB_val()
        var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
        while code == MDB_SUCCESS {
          batch.append(try LMDBSnapshot.recordKey(key), value.bytes)
          if batch.isFull {
            guard try batch.withChunk(body) else { return }
            batch.removeAll()
          }
          code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        guard code == MDB_NOTFOUND else { throw LMDBError(code: code, operation: "scan records") }
        if batch.count > 0 { _ = try batch.withChunk(body) }
      }
    }
  }

  func recordKeys(ofEntityCode code: Int, above key: Int64, limit: Int) throws -> [Int64] {
    guard let table = tables.records(ofEntityCode: code), key < .max, limit > 0 else { return [] }
    return try withCursor(table) { cursor in
      var keys: [Int64] = []
      var value = MDB_val()
      // LMDB orders keys as numbers without a sign, and all are above zero.
      try withUnsafeBytes(of: max(key, 0) + 1) { bytes in
        var found = MDB_val(bytes)
        var code = mdb_cursor_get(cursor, &found, &value, MDB_SET_RANGE)
        while code == MDB_SUCCESS, keys.count < limit {
          keys.append(try LMDBSnapshot.recordKey(found))
          code = mdb_cursor_get(cursor, &found, &value, MDB_NEXT)
        }
        guard code == MDB_SUCCESS || code == MDB_NOTFOUND else {
          throw LMDBError(code: code, operation: "scan records")
        }
      }
      return keys
    }
  }

  func withRows(
    forKeys keys: UnsafeBufferPointer<Int64>, need: RowNeed,
    _ body: (RowChunk, Int) throws -> Bool
  ) throws {
    try withBatch(need) { batch in
      var start = 0
      while start < keys.count {
        let end = min(start + RowBatch.capacity, keys.count)
        batch.removeAll()
        try find(keys[start..<end], batch)
        guard try batch.withChunk({ try body($0, start) }) else { return }
        start = end
      }
    }
  }

  /// Looks up one record, the most frequent request. Unusual cases, such as damage, are left to the lookup of many
  /// records.
  func row(forKey key: Int64) throws -> Row? {
    let code = RecordKey.entityCode(of: key)
    guard let record = try checkedRecords?.record(key) ?? find(key) else { return nil }
    guard let number = RecordCodec.formatNumber(of: record),
      let codec = formats?.codec(ofEntityCode: code, format: number)
    else { return try rowAmongMany(forKey: key) }
    do {
      let isChecked = checkedRecords?.contains(key) ?? false
      let row = try codec.decode(record, key: key, isChecked: isChecked)
      if !isChecked { checkedRecords?.insert(key, record) }
      return row
    } catch {
      return try rowAmongMany(forKey: key)
    }
  }

  /// The bytes of one record; nil when there is none.
  private func find(_ key: Int64) throws -> UnsafeRawBufferPointer? {
    guard let table = tables.records(ofEntityCode: RecordKey.entityCode(of: key)) else {
      return nil
    }
    var value = MDB_val()
    let result = withUnsafeBytes(of: key) { bytes in
      var key = MDB_val(bytes)
      return mdb_get(transaction, table, &key, &value)
    }
    if result == MDB_NOTFOUND { return nil }
    try LMDBError.check(result, "look up a record")
    return value.bytes
  }

  /// Looks up keys. Those of one entity are usually adjacent: they share a cursor, and LMDB finds the next one on the
  /// same page without starting at the root.
  private func find(_ keys: Slice<UnsafeBufferPointer<Int64>>, _ batch: RowBatch) throws {
    var next = keys.startIndex
    while next < keys.endIndex {
      if let record = checkedRecords?.record(keys[next]) {
        batch.append(keys[next], record)
        next += 1
        continue
      }
      let code = RecordKey.entityCode(of: keys[next])
      guard let table = tables.records(ofEntityCode: code) else {
        batch.append(keys[next], nil)
        next += 1
        continue
      }
      try withCursor(table) { cursor in
        let last = keys.endIndex - next > 4 ? try lastKey(cursor) : .max
        while next < keys.endIndex, RecordKey.entityCode(of: keys[next]) == code {
          let key = keys[next]
          // New records come after all others: no lookup is needed.
          batch.append(
            key,
            key > last ? nil : try checkedRecords?.record(key) ?? record(key, cursor))
          next += 1
        }
      }
    }
  }

  private func lastKey(_ cursor: OpaquePointer) throws -> Int64 {
    var key = MDB_val()
    var value = MDB_val()
    let code = mdb_cursor_get(cursor, &key, &value, MDB_LAST)
    if code == MDB_NOTFOUND { return .min }
    try LMDBError.check(code, "find the last record")
    return try LMDBSnapshot.recordKey(key)
  }

  @inline(__always)
  private func record(_ number: Int64, _ cursor: OpaquePointer) throws -> UnsafeRawBufferPointer? {
    try withUnsafeBytes(of: number) { bytes in
      var key = MDB_val(bytes)
      var value = MDB_val()
      let code = mdb_cursor_get(cursor, &key, &value, MDB_SET)
      if code == MDB_NOTFOUND { return nil }
      try LMDBError.check(code, "look up a record")
      return value.bytes
    }
  }

  @inline(__always)
  static func recordKey(_ key: MDB_val) throws -> Int64 {
    guard key.mv_size == MemoryLayout<Int64>.size else {
      throw PersistenceError(.corruptStore, "A key of the store is damaged.")
    }
    return key.bytes.loadUnaligned(as: Int64.self)
  }

  /// The number of entries in a table.
  func count(of table: MDB_dbi) throws -> Int {
    var statistics = MDB_stat()
    try LMDBError.check(mdb_stat(transaction, table, &statistics), "count a table")
    return statistics.ms_entries
  }
}
