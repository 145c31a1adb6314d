// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore
import Synchronization

extension LMDBEnvironment {
  /// Takes a reader of the state as it is now; the caller is inside the gate until it gives it back.
  ///
  /// - Parameter check: Throws when the caller may not use the file any more; called inside the gate, because whoever
  ///   closes the file waits until nobody is there.
  func takeReader<Result>(
    _ check: () throws -> Result
  ) throws -> (reader: LMDBSnapshot, checked: Result) {
    try checkProcess()
    try checkUnlocked()
    gate.enter()
    do {
      for _ in 0..<Self.attempts {
        let checked = try check()
        do {
          if let reader = try beginReading() { return (reader, checked) }
        } catch let error as LMDBError where error.code == MDB_PANIC {
          try reopenIfNeeded()
        }
      }
    } catch {
      gate.leave()
      throw error
    }
    gate.leave()
    throw PersistenceError(.storeBusy, "The file grows faster than it can be read.")
  }

  /// Gives a reader back: its transaction ends, so that it keeps no page from being used again.
  func giveBack(_ reader: LMDBSnapshot) {
    reader.pause()
    idle.withLock { $0.append(reader) }
    gate.leave()
  }

  /// How often a transaction is begun while others make the file grow or add tables.
  static let attempts = 100

  /// Begins to read, in a transaction that was used before if there is one.
  ///
  /// - Returns: nil when the file has grown or has other tables than before; then it is to be tried again.
  private func beginReading() throws -> LMDBSnapshot? {
    let used = idle.withLock { $0.popLast() }
    // Before the transaction begins: it may use the handles that were opened by then. They are seldom other ones.
    let number = tableNumber.load(ordering: .acquiring)
    let known = used?.tableNumber == number ? nil : tables.withLock { $0 }
    let reader: LMDBSnapshot
    if let used {
      reader = used
      let code = mdb_txn_renew(reader.transaction)
      guard code != MDB_MAP_RESIZED else {
        idle.withLock { $0.append(reader) }
        try adoptSize()
        return nil
      }
      guard code == MDB_SUCCESS else {
        reader.end()
        throw LMDBError(code: code, operation: "begin to read")
      }
    } else {
      guard let transaction = try beginTransaction(UInt32(MDB_RDONLY)) else { return nil }
      reader = LMDBSnapshot(transaction, isReadOnly: true)
    }
    if let known { reader.take(known, number: number) }
    let knowsAll: Bool
    do {
      knowsAll = try reader.begin()
    } catch {
      reader.end()
      throw error
    }
    if knowsAll { return reader }
    reader.pause()
    idle.withLock { $0.append(reader) }
    try openNewTables()
    return nil
  }

  /// Begins a transaction; nil when the file had grown, which is known now.
  func beginTransaction(_ flags: UInt32) throws -> OpaquePointer? {
    if let transaction = try Self.beginTransaction(usableHandle(), flags) { return transaction }
    try adoptSize()
    return nil
  }

  /// Begins a transaction; nil when the file has grown, which has to be taken over first.
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

  /// The number of the last transaction that was committed, by any process.
  ///
  /// - Parameter check: Throws when the caller may not use the file any more; called inside the gate.
  func lastTransaction(_ check: () throws -> Void) throws -> UInt64 {
    try checkProcess()
    gate.enter()
    defer { gate.leave() }
    try check()
    if handle == nil { try reopenIfNeeded() }
    return try lastTransactionNumber()
  }

  /// Learns of the tables that another process has made, or of the file's size: the caller looks again.
  func openNewTables() throws {
    let isOpened = try openingLock.withLock {
      var extended = tables.withLock { $0 }
      guard try Self.openTables(usableHandle(), &extended) else { return false }
      know(extended)
      return true
    }
    // Not while it holds the lock: those that wait for it are inside the gate.
    if !isOpened { try adoptSize() }
  }

  /// Takes over tables that a transaction has made.
  func know(_ extended: TableDirectory) {
    tables.withLock { $0 = extended }
    tableNumber.wrappingAdd(1, ordering: .releasing)
  }
}
