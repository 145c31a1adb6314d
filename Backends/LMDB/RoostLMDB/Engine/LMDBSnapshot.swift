// SPDX-License-Identifier: Apache-2.0

import CLMDB
import RoostKeyValue
import RoostModel

/// The state of a file at one moment: a transaction of LMDB's with what it needs, used by one caller at a time.
///
/// What it hands out are addresses in the mapped file. A transaction that reads is used again after a pause, and so are
/// its cursors and its memory for rows.
final class LMDBSnapshot: @unchecked Sendable {
  // Sendable: it belongs to the one caller that took it from the environment.

  let transaction: OpaquePointer
  private let isReadOnly: Bool
  private(set) var tables = TableDirectory()
  /// What these tables are known by.
  private(set) var tableNumber = -1
  /// How records are read; set by the engine before it hands the snapshot on.
  private(set) var formats: RecordFormats?
  private var engine: LMDBEngine?
  /// What the stamp of the catalog was in a transaction.
  private var knownStamp: (transaction: Int, stamp: UInt64)?
  /// Which reading it is, counted by pauses: a cursor of an earlier one has to be renewed.
  private var reading = 0
  private var cursors: [IdleCursor?] = []
  private(set) var batches: [RowBatch]
  /// What need not be checked again; nil in a transaction that writes, which reads a record once.
  let checkedRecords: CheckedRecords?

  private struct IdleCursor {
    var cursor: OpaquePointer
    var reading: Int
  }

  /// - Parameter batches: Memory for rows that was used before, and that nobody uses now.
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

  /// Takes tables, for the next time that it begins.
  ///
  /// - Parameter number: What the tables are known by.
  func take(_ tables: TableDirectory, number: Int) {
    self.tables = tables
    tableNumber = number
  }

  /// Lets an engine use it, until it pauses. The caller is inside the gate.
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
  /// Calls `body` with a cursor that nobody else uses meanwhile: scans may lie within each other.
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

  /// Calls `body` with a batch that nobody else uses meanwhile.
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
    // What was written has a new number, so the stamp is read once after each save.
    let number = mdb_txn_id(transaction)
    if let knownStamp, knownStamp.transaction == number { return knownStamp.stamp }
    let stamp = IndexCatalog.stamp(try blob(named: IndexCatalog.blobName))
    knownStamp = (number, stamp)
    return stamp
  }
}
