// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore
import Synchronization

extension LMDBEnvironment {
  /// Takes a reader on the current snapshot; the caller is inside the gate until it returns the reader.
  ///
  /// - Parameter check: Throws when the caller may not use the file any more; called inside the gate, because closing
  ///   the file waits until the gate is empty.
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

  /// Returns the ID of the last transaction that readers can see, from any process.
  ///
  /// It is taken from a reader. `mdb_env_info` returns the ID from the meta page, which a commit writes before it
  /// updates the lock file for readers: between the two, the ID would be that of a commit that no reader sees yet.
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
    let isKept = idle.withLock { idle in
      guard idle.count < Self.idleLimit else { return false }
      idle.append(reader)
      return true
    }
    if !isKept { reader.end() }
    gate.leave()
  }

  /// Begins a read transaction, or renews an idle one.
  ///
  /// - Returns: nil when the file has grown or has new tables; then the caller retries.
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
