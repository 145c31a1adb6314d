// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore
import Synchronization

// After a failed write of a meta page LMDB refuses every transaction of its environment (MDB_PANIC), although the
// file is whole and the disk may be well again. The environment is then opened again, under the same stores.

extension LMDBEnvironment {
  /// LMDB's environment.
  ///
  /// - Throws: `MDB_PANIC` as an ``LMDBError`` when it could not be opened again after a failure.
  func usableHandle() throws -> OpaquePointer {
    guard let handle else { throw LMDBError(code: MDB_PANIC, operation: "use the file") }
    return handle
  }

  /// Whether the environment works; after some errors LMDB refuses everything until the file is reopened.
  var isUsable: Bool {
    guard let handle else { return false }
    var transaction: OpaquePointer?
    let code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
    if let transaction { mdb_txn_abort(transaction) }
    return code != MDB_PANIC
  }

  /// Opens the file again when LMDB refuses to go on with it. The caller is inside the gate, and is again when this
  /// returns or throws.
  func reopenIfNeeded() throws {
    try outside {
      try gate.alone(timeout: Self.reopeningTimeout) {
        // Another thread may have been here first.
        guard !isUsable else { return }
        try reopen()
      }
    }
  }

  private static let reopeningTimeout: TimeInterval = 30

  /// Closes LMDB's environment and opens it again; the caller is alone behind the gate.
  private func reopen() throws {
    guard location.place()?.identity == identity else {
      throw PersistenceError(
        .persistentStoreOperation, "The file was moved, replaced or removed while open.")
    }
    endIdleReaders()
    if let old = handle {
      var information = MDB_envinfo()
      mdb_env_info(old, &information)
      mapSize = max(mapSize, Int(clamping: information.me_mapsize))
      handle = nil
      // Not after the new one is open: closing a file ends all locks that the process has on it.
      mdb_env_close(old)
    }
    moveCount.wrappingAdd(1, ordering: .releasing)
    var flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS)
    if !isWritable { flags |= UInt32(MDB_RDONLY) }
    if isWritable, !shared.withLock({ $0.isDurable }) { flags |= UInt32(MDB_NOMETASYNC) }
    let new = try Self.makeHandle(location, mapSize, flags)
    do {
      know(try Self.readTables(new))
    } catch {
      mdb_env_close(new)
      throw error
    }
    handle = new
  }

  /// Determines the outcome of a commit after which LMDB refused to continue, once the file is reopened and the state
  /// that it shows is durable. The caller excludes all other writers, and is inside the gate.
  ///
  /// - Parameter number: The ID of the transaction.
  /// - Returns: Whether it was committed; nil when that cannot be known, because the file cannot be written.
  func outcome(ofTransaction number: Int) -> Bool? {
    do {
      try reopenIfNeeded()
      let last = try shownTransactionNumber()
      // One meta page may be in the system's memory and another one on the disk, until a transaction has replaced it.
      try writeNothing()
      return last >= number
    } catch {
      // Reading may go on all the same.
      try? reopenIfNeeded()
      return nil
    }
  }

  /// Commits an empty change, so that the visible state is the one on the disk.
  private func writeNothing() throws {
    guard let table = tables.withLock({ $0.blobs }), let transaction = try beginTransaction(0)
    else { throw LMDBError(code: MDB_PANIC, operation: "settle the file") }
    do {
      let format = try BlobTable.read(StoreFormat.blobName, from: table, transaction)
      try BlobTable.write(format, named: StoreFormat.blobName, to: table, transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try LMDBError.check(mdb_txn_commit(transaction), "settle the file")
  }

  /// Returns the ID of the transaction whose state readers see, also where LMDB takes it from the lock file.
  private func shownTransactionNumber() throws -> Int {
    guard let transaction = try beginTransaction(UInt32(MDB_RDONLY)) else {
      throw LMDBError(code: MDB_MAP_RESIZED, operation: "settle the file")
    }
    defer { mdb_txn_abort(transaction) }
    return mdb_txn_id(transaction)
  }
}
