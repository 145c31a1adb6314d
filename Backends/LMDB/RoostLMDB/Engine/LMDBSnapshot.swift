// SPDX-License-Identifier: Apache-2.0

import CLMDB
import RoostKeyValue
import RoostModel

/// A snapshot of a file: an LMDB transaction with its cursors and buffers, used by one caller at a time.
///
/// It returns addresses in the memory-mapped file. A read transaction is reset and renewed for the next request, and
/// its cursors and row buffers are reused.
final class LMDBSnapshot: @unchecked Sendable {
  // Sendable: it belongs to the one caller that took it from the environment.

  let transaction: OpaquePointer
  private let isReadOnly: Bool
  private(set) var tables = TableDirectory()
  /// The number that identifies the current table directory.
  private(set) var tableNumber = -1
  /// The record formats; set by the engine before it passes the snapshot on.
  private(set) var formats: RecordFormats?
  private var engine: LMDBEngine?
  /// The catalog stamp, and the transaction for which it was read.
  private var knownStamp: (transaction: Int, stamp: UInt64)?
  /// The number of the current request, counted by renewals: a cursor of an earlier one has to be renewed.
  private var reading = 0
  private var cursors: [IdleCursor?] = []
  private(set) var batches: [RowBatch]
  /// The records that were verified already; nil in a write transaction, which reads a record once.
  let checkedRecords: CheckedRecords?

  private struct IdleCursor {
    var cursor: OpaquePointer
    var reading: Int
  }

  /// - Parameter batches: Row buffers of an earlier snapshot that are free for reuse.
  init(_ transaction: OpaquePointer, isReadOnly: Bool, batches: [RowBatch] = []) {
    self.batches = batches
    self.transaction = transaction
    self.isReadOnly = isReadOnly
    checkedRecords = isReadOnly ? CheckedRecords() : nil
  }

  /// Begins with tables.
  ///
  /// - Returns: Whether these are all of the file's.
  func begin(_ tables: TableDirectory) throws -> Bool {
    self.tables = tables
    return try begin()
  }

  /// Begins with the tables that it has.
  ///
  /// - Returns: Whether these are all of the file's.
  func begin() throws -> Bool {
    reading += 1
    return try TableDirectory.nameCount(in: transaction) == tables.nameCount
  }

  /// Sets the table directory for the next transaction.
  ///
  /// - Parameter number: The number that identifies the directory.
  func take(_ tables: TableDirectory, number: Int) {
    self.tables = tables
    tableNumber = number
  }

  /// Prepares the snapshot for an engine, until it is reset. The caller is inside the gate.
  func use(_ formats: RecordFormats?, by engine: LMDBEngine) {
    self.formats = formats
    self.engine = engine
    checkedRecords?.begin(mdb_txn_id(transaction), moves: engine.environment.moves)
  }

  /// Reads how records are read again.
  func reloadFormats() throws -> RecordFormats? {
    formats = try engine?.learnFormats(try blob(named: RecordFormats.blobName))
    return formats
  }

  /// Ends the transaction, so that it can be renewed.
  func pause() {
    formats = nil
    engine = nil
    mdb_txn_reset(transaction)
  }

  /// Ends the transaction for good, and everything with it.
  func end() {
    closeCursors()
    mdb_txn_abort(transaction)
  }

  /// Closes the cursors: before a transaction that writes ends.
  func closeCursors() {
    for case let idle? in cursors { mdb_cursor_close(idle.cursor) }
    cursors = []
  }
}

// MARK: - Cursors and batches

extension LMDBSnapshot {
  /// Calls `body` with a cursor of its own: scans may be nested.
  func withCursor<Result>(
    _ table: MDB_dbi, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    let cursor = try takeCursor(table)
    defer { giveBack(cursor, table) }
    return try body(cursor)
  }

  private func takeCursor(_ table: MDB_dbi) throws -> OpaquePointer {
    let index = Int(table)
    if index < cursors.count, let idle = cursors[index] {
      cursors[index] = nil
      if idle.reading != reading {
        let code = mdb_cursor_renew(transaction, idle.cursor)
        guard code == MDB_SUCCESS else {
          mdb_cursor_close(idle.cursor)
          throw LMDBError(code: code, operation: "use a cursor again")
        }
      }
      return idle.cursor
    }
    var cursor: OpaquePointer?
    try LMDBError.check(mdb_cursor_open(transaction, table, &cursor), "open a cursor")
    guard let cursor else { preconditionFailure("LMDB opened no cursor") }
    return cursor
  }

  private func giveBack(_ cursor: OpaquePointer, _ table: MDB_dbi) {
    let index = Int(table)
    while cursors.count <= index { cursors.append(nil) }
    if cursors[index] == nil {
      cursors[index] = IdleCursor(cursor: cursor, reading: reading)
    } else {
      mdb_cursor_close(cursor)
    }
  }

  /// Calls `body` with a row batch of its own.
  func withBatch<Result>(
    _ need: RowNeed, _ body: (RowBatch) throws -> Result
  ) throws -> Result {
    let batch = batches.popLast() ?? RowBatch()
    defer {
      batch.end()
      batches.append(batch)
    }
    guard let formats else { preconditionFailure("records are read after a model was adopted") }
    batch.begin(self, formats, need: need)
    return try body(batch)
  }
}

// MARK: - Blobs

extension LMDBSnapshot {
  func blob(named name: String) throws -> [UInt8]? {
    guard let table = tables.blobs else { return nil }
    return try BlobTable.read(name, from: table, transaction)
  }

  func catalogStamp() throws -> UInt64 {
    // Each write has a new transaction ID, so the stamp is read once after each save.
    let number = mdb_txn_id(transaction)
    if let knownStamp, knownStamp.transaction == number { return knownStamp.stamp }
    let stamp = IndexCatalog.stamp(try blob(named: IndexCatalog.blobName))
    knownStamp = (number, stamp)
    return stamp
  }
}
