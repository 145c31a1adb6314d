// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore
import Synchronization

extension LMDBEnvironment {
  /// The most attempts to begin a transaction while others make the file grow or add tables.
  static let attempts = 100

  /// Begins a transaction; nil when the file had grown, whose size is adopted by now.
  func beginTransaction(_ flags: UInt32) throws -> OpaquePointer? {
    if let transaction = try Self.beginTransaction(usableHandle(), flags) { return transaction }
    try adoptSize()
    return nil
  }

  /// Begins a transaction; nil when the file has grown, whose size must be adopted first.
  static func beginTransaction(
    _ handle: OpaquePointer, _ flags: UInt32
  ) throws -> OpaquePointer? {
    var transaction: OpaquePointer?
    var code = mdb_txn_begin(handle, nil, flags, &transaction)
    if code == MDB_READERS_FULL {
      mdb_reader_check(handle, nil)
      code = mdb_txn_begin(handle, nil, flags, &transaction)
    }
    if code == MDB_MAP_RESIZED { return nil }
    try LMDBError.check(code, "begin a transaction")
    return transaction
  }

  /// Adopts the tables that another process has made, or the file's size; the caller then retries.
  func openNewTables() throws {
    let isOpened = try openingLock.withLock {
      var extended = tables.withLock { $0 }
      guard try Self.openTables(usableHandle(), &extended) else { return false }
      know(extended)
      return true
    }
    // Not while it holds the lock: the threads that wait for the lock are inside the gate.
    if !isOpened { try adoptSize() }
  }

  /// Adopts the tables that a transaction has made.
  func know(_ extended: TableDirectory) {
    tables.withLock { $0 = extended }
    tableNumber.wrappingAdd(1, ordering: .releasing)
  }
}
