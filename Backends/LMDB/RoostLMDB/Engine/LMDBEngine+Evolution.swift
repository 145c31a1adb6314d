// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostKeyValue
import RoostModel
import RoostStore

// A model migration uses two transactions: a write transaction, and a read transaction on the state before it, until
// the end. So the written data needs no memory, and is never read back by mistake.
extension LMDBEngine {
  func evolve(_ change: SchemaChange, by work: EvolutionWork) throws {
    try adopt(change.source)
    let isWritten = try translatingErrors(store: storeName) {
      try environment.checkProcess()
      guard !settings.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store is read-only.")
      }
      return try asOnlyWriter(nil) { try evolveGrowing(change, work) }
    }
    if isWritten { try adopt(change.destination) }
  }

  /// Writes, again and again while the file has to grow for it.
  private func evolveGrowing(_ change: SchemaChange, _ work: EvolutionWork) throws -> Bool {
    while true {
      do {
        return try evolveOnce(change, work)
      } catch let error as LMDBError where error.code == MDB_MAP_FULL {
        try environment.grow(timeout: settings.timeout)
      } catch let failure as InterruptedCommit {
        try settle(failure)
        return true
      }
    }
  }

  /// - Returns: Whether something was written.
  private func evolveOnce(_ change: SchemaChange, _ work: EvolutionWork) throws -> Bool {
    let formats = try openState().formats
    let size = try environment.checkFile()
    return try environment.write { transaction, tables in
      var isOver = false
      defer { if !isOver { mdb_txn_abort(transaction) } }
      // The write transaction excludes other writers: the read transaction gets the snapshot from which it began.
      guard
        let reading = try LMDBEnvironment.beginTransaction(
          environment.usableHandle(), UInt32(MDB_RDONLY))
      else { throw LMDBError(code: MDB_MAP_FULL, operation: "begin to read") }
      let snapshot = LMDBSnapshot(reading, isReadOnly: true)
      defer { snapshot.end() }
      snapshot.take(tables.directory, number: -1)
      _ = try snapshot.begin()
      snapshot.use(formats, by: self)
      let writer = BatchWriter(transaction: transaction, tables: tables)
      let portions = Portions(writer: writer, change: change) { [environment] in
        environment.makeRoom(behind: size)
      }
      var batch = WriteBatch()
      try work.write(snapshot, &batch) { try portions.write(&$0) }
      try portions.write(&batch)
      guard portions.isWritten else { return false }
      let written = LMDBSnapshot(transaction, isReadOnly: false)
      defer { if !isOver { written.closeCursors() } }
      written.take(tables.directory, number: -1)
      _ = try written.begin()
      written.use(portions.formats, by: self)
      try work.verify(snapshot, written)
      written.closeCursors()
      if tables.hasNew { try MadeTables.add(tables.directory, transaction) }
      isOver = true
      try commit(transaction)
      tables.didCommit()
      return true
    }
  }

  /// The portions of a migration that were written so far.
  private final class Portions {
    private let writer: BatchWriter
    private let change: SchemaChange
    private let begin: () -> Void
    private(set) var formats: RecordFormats?
    private(set) var isWritten = false

    init(writer: BatchWriter, change: SchemaChange, begin: @escaping () -> Void) {
      self.writer = writer
      self.change = change
      self.begin = begin
    }

    /// Writes a batch and leaves it empty. The formats follow the change with the first one.
    func write(_ batch: inout WriteBatch) throws {
      guard !batch.isEmpty else { return }
      if !isWritten { begin() }
      isWritten = true
      formats =
        try writer.write(batch, formats) { [change] bytes in
          try RecordFormats(bytes, schema: change.destination)
        } ?? formats
      batch = WriteBatch()
    }
  }
}
