// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore
import Synchronization

extension LMDBEnvironment {
  /// Takes a reader of the state as it is now; the caller is inside the gate until it gives it back.
  ///
  /// - Parameter check: Throws when the caller may not use the file any more; called inside the gate, because
  ///   closing the file waits until nobody is there.
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

  /// The number of the last transaction that readers are shown, by whatever process.
  ///
  /// It is that of a reader. What `mdb_env_info` says is read from the file, where a commit has it before it tells
  /// readers by the lock file: a look in between would take the state that can be read for the one that was committed.
  ///
  /// - Parameter check: Throws when the caller may not use the file any more; called inside the gate.
  func lastTransaction(_ check: () throws -> Void) throws -> UInt64 {
    let (reader, _) = try takeReader(check)
    defer { giveBack(reader) }
    return UInt64(mdb_txn_id(reader.transaction))
  }

  /// Gives a reader back: its transaction ends, so that it keeps no page from being used again.
  func giveBack(_ reader: LMDBSnapshot) {
    reader.pause()
    idle.withLock { $0.append(reader) }
    gate.leave()
  }

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
}
