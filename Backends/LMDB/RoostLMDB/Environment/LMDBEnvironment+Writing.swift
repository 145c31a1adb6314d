// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore
import Synchronization

extension LMDBEnvironment {
  /// Begins to write, keeping the writers of other processes away; the caller holds ``writerLock`` and is inside the
  /// gate.
  ///
  /// - Parameter body: Gets the transaction and the tables, and ends the transaction.
  func write<Result>(
    _ body: (OpaquePointer, WritableTables) throws -> Result
  ) throws -> Result {
    for _ in 0..<Self.attempts {
      let known = tables.withLock { $0 }
      guard let transaction = try beginWriting() else { continue }
      let knowsAll: Bool
      do {
        knowsAll = try TableDirectory.nameCount(in: transaction) == known.nameCount
      } catch {
        mdb_txn_abort(transaction)
        throw error
      }
      if knowsAll {
        let tables = WritableTables(known, of: self)
        defer { tables.letGo() }
        return try body(transaction, tables)
      }
      mdb_txn_abort(transaction)
      try openNewTables()
    }
    throw PersistenceError(.storeBusy, "The file grows faster than it can be written.")
  }

  /// Begins a write transaction, after reopening the file if necessary; nil when the caller must retry.
  private func beginWriting() throws -> OpaquePointer? {
    do {
      return try beginTransaction(0)
    } catch let error as LMDBError where error.code == MDB_PANIC {
      try reopenIfNeeded()
      return nil
    }
  }

  /// Keeps the writers of other processes away, for as long as the time allows: LMDB by itself waits for ever, also
  /// for a process that was stopped.
  func withProcessLock<Result>(
    timeout: TimeInterval, _ cancellation: RequestCancellation? = nil, _ body: () throws -> Result
  ) throws -> Result {
    guard lockDescriptor >= 0 else { return try body() }
    try FileLock.take(
      lockDescriptor, LOCK_EX, timeout: timeout, cancellation,
      orSay: "Another process wrote until the time was over.")
    defer { flock(lockDescriptor, LOCK_UN) }
    return try body()
  }
}
