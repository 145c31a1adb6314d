// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostKeyValue
import RoostModel
import RoostStore

// A write in portions uses two transactions, as a model migration does: a write transaction, and a read transaction
// on the state before it, until the end. So the written data needs no memory, and is never read back by mistake.
extension LMDBEngine {
  var writesPortions: Bool { true }

  func writeInPortions(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch, @escaping (inout WriteBatch) throws -> Void)
      throws -> Void
  ) throws {
    try translatingErrors(store: storeName) {
      try environment.checkProcess()
      guard !settings.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store is read-only.")
      }
      try asOnlyWriter(cancellation) { try writePortionsGrowing(body) }
    }
  }

  /// Writes, again and again while the file has to grow for it.
  private func writePortionsGrowing(
    _ body: (any KeyValueSnapshot, inout WriteBatch, @escaping (inout WriteBatch) throws -> Void)
      throws -> Void
  ) throws {
    while true {
      do {
        return try writePortionsOnce(body)
      } catch let error as LMDBError where error.code == MDB_MAP_FULL {
        try environment.grow(timeout: settings.timeout)
      } catch let failure as InterruptedCommit {
        return try settle(failure)
      }
    }
  }

  private func writePortionsOnce(
    _ body: (any KeyValueSnapshot, inout WriteBatch, @escaping (inout WriteBatch) throws -> Void)
      throws -> Void
  ) throws {
    let formats = try openState().formats
    let size = try environment.checkFile()
    try environment.write { transaction, tables in
      var isOver = false
      defer { if !isOver { mdb_txn_abort(transaction) } }
      // The write transaction excludes other writers: the read transaction gets the snapshot from which it began.
      guard
        let reading = try LMDBEnvironment.beginTransaction(
          environment.usableHandle(), UInt32(MDB_RDONLY))
      else { throw LMDBError(code: MDB_MAP_FULL, operation: "begin to read") }
      let snapshot = LMDBSnapshot(reading, isReadOnly: true)
      defer { snapshot.end() }
      _ = try snapshot.begin(tables.directory)
      snapshot.use(formats, by: self)
      let writer = BatchWriter(transaction: transaction, tables: tables)
      var known = formats
      var isChanged = false
      var isWritten = false
      // Formats that this transaction has added are not in the file unless it commits.
      defer { if !isWritten { keep(formats) } }
      func write(_ batch: inout WriteBatch) throws {
        guard !batch.isEmpty else { return }
        if !isChanged { environment.makeRoom(behind: size) }
        isChanged = true
        if let written = try writer.write(batch, known, reloading: learnFormats) { known = written }
        batch = WriteBatch()
      }
      var batch = WriteBatch()
      try body(snapshot, &batch, write)
      try write(&batch)
      guard isChanged else { return }
      if tables.hasNew { try MadeTables.add(tables.directory, transaction) }
      isOver = true
      try commit(transaction)
      isWritten = true
      tables.didCommit()
      if let known, known !== formats { keep(known) }
    }
  }
}
