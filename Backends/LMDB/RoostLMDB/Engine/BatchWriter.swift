// SPDX-License-Identifier: Apache-2.0

import CLMDB
import RoostKeyValue
import RoostModel
import RoostStore

/// Writes a batch in one transaction, each table in key order. Entries after the last existing key are appended
/// (`MDB_APPEND`), which leaves full pages.
struct BatchWriter {
  let transaction: OpaquePointer
  let tables: WritableTables

  /// Writes the batch.
  ///
  /// - Parameters:
  ///   - formats: The record formats for encoding.
  ///   - reload: Decodes the formats that are stored in the file.
  /// - Returns: The formats, including those that this batch added.
  func write(
    _ batch: WriteBatch, _ formats: RecordFormats?,
    reloading reload: ([UInt8]?) throws -> RecordFormats?
  ) throws -> RecordFormats? {
    var current = try batch.change.map { try storedFormats(of: $0).following($0) } ?? formats
    if batch.change == nil, !missingFormats(current, for: batch).isEmpty {
      // Another process may have added them.
      current = try reload(formatBytes())
    }
    let missing = missingFormats(current, for: batch)
    let written = missing.isEmpty ? current : try current?.adding(missing)
    for (name, bytes) in batch.blobs { try write(bytes, named: name) }
    if !missing.isEmpty || batch.change != nil, let written {
      try write(try written.bytes(), named: RecordFormats.blobName)
    }
    for (code, changes) in batch.records.sorted(by: { $0.code < $1.code }) {
      try write(changes, ofEntityCode: code, written)
    }
    for table in batch.emptiedTables {
      guard let handle = tables.directory.entries(of: table) else { continue }
      try LMDBError.check(mdb_drop(transaction, handle, 0), "empty an index")
    }
    for (table, changes) in batch.entries.sorted(by: { $0.table.number < $1.table.number }) {
      try write(changes, to: table)
    }
    return written
  }

  /// Returns the stored formats.
  private func formatBytes() throws -> [UInt8]? {
    try tables.directory.blobs.flatMap {
      try BlobTable.read(RecordFormats.blobName, from: $0, transaction)
    }
  }

  /// Returns the formats of a store with an earlier model version.
  private func storedFormats(of change: SchemaChange) throws -> RecordFormats {
    try RecordFormats(formatBytes(), schema: change.source)
  }

  private func write(_ bytes: [UInt8]?, named name: String) throws {
    guard let table = tables.directory.blobs else { preconditionFailure("a store has blobs") }
    try BlobTable.write(bytes, named: name, to: table, transaction)
  }

  /// Returns the entity codes whose records are written but whose layouts have no format.
  private func missingFormats(_ formats: RecordFormats?, for batch: WriteBatch) -> [Int] {
    batch.records.filter { code, changes in
      formats?.writer(ofEntityCode: code) == nil && changes.contains { $0.row != nil }
    }.map(\.code).sorted()
  }

  // MARK: - Records

  private func write(
    _ changes: [RecordChange], ofEntityCode code: Int, _ formats: RecordFormats?
  ) throws {
    let codec = formats?.writer(ofEntityCode: code)
    let table = try tables.records(ofEntityCode: code, in: transaction)
    try withCursor(table) { cursor in
      var last = try lastKey(cursor).map { $0.loadUnaligned(as: Int64.self) } ?? .min
      for change in changes {
        try withUnsafeBytes(of: change.key) { bytes in
          guard let row = change.row else { return try remove(bytes, cursor) }
          guard let codec else { preconditionFailure("a row that is written has a format") }
          let isLast = change.key > last
          if isLast { last = change.key }
          var key = MDB_val(bytes)
          var value = MDB_val(mv_size: try codec.byteCount(of: row), mv_data: nil)
          let flags = UInt32(MDB_RESERVE) | (isLast ? UInt32(MDB_APPEND) : 0)
          try LMDBError.check(mdb_cursor_put(cursor, &key, &value, flags), "write a record")
          codec.encode(
            row, into: UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size))
        }
      }
    }
  }

  // MARK: - Entries

  private func write(_ batch: EntryBatch, to table: EntryTable) throws {
    var batch = batch
    batch.order()
    let handle = try tables.entries(of: table, in: transaction)
    try withCursor(handle) { cursor in
      var isAppending = false
      let last = try lastKey(cursor).map { Array($0) }
      try batch.forEach { change in
        if change.kind == .remove { return try remove(change.key, cursor) }
        if !isAppending {
          isAppending =
            last.map { $0.withUnsafeBytes { KeyEncoding.compare($0, change.key) < 0 } } ?? true
        }
        var key = MDB_val(change.key)
        var value = MDB_val(change.value)
        try LMDBError.check(
          mdb_cursor_put(cursor, &key, &value, isAppending ? UInt32(MDB_APPEND) : 0),
          "write an entry")
      }
    }
  }

  // MARK: - Both

  private func withCursor(_ table: MDB_dbi, _ body: (OpaquePointer) throws -> Void) throws {
    var cursor: OpaquePointer?
    try LMDBError.check(mdb_cursor_open(transaction, table, &cursor), "open a cursor")
    guard let cursor else { preconditionFailure("LMDB opened no cursor") }
    defer { mdb_cursor_close(cursor) }
    try body(cursor)
  }

  private func remove(_ bytes: UnsafeRawBufferPointer, _ cursor: OpaquePointer) throws {
    var key = MDB_val(bytes)
    var value = MDB_val()
    let code = mdb_cursor_get(cursor, &key, &value, MDB_SET)
    if code == MDB_NOTFOUND { return }
    try LMDBError.check(code, "look up what is removed")
    try LMDBError.check(mdb_cursor_del(cursor, 0), "remove")
  }

  private func lastKey(_ cursor: OpaquePointer) throws -> UnsafeRawBufferPointer? {
    var key = MDB_val()
    var value = MDB_val()
    let code = mdb_cursor_get(cursor, &key, &value, MDB_LAST)
    if code == MDB_NOTFOUND { return nil }
    try LMDBError.check(code, "find the last key")
    return key.bytes
  }
}
