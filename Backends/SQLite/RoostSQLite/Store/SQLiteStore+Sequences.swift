// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
import RoostSQL

extension SQLiteStore {
  package func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    precondition(count > 0, "At least one sequence number is reserved.")
    return try translating {
      if let numbers = withSequences({ $0.take(count) }) { return numbers }
      return try pool.write(cancellation) { connection in
        // Another thread may have reserved a block meanwhile.
        if let numbers = withSequences({ $0.take(count) }) { return numbers }
        let size = withSequences { $0.blockSize(for: count) }
        log(SQLiteConnection.reservation)
        // No record has one of these numbers before a later commit, which synchronises everything that was logged
        // before it.
        let block = try connection.withRelaxedDurability {
          try connection.writing {
            try pool.checkVersion(connection)
            return try connection.reserveSequences(size)
          }
        }
        return try withSequences { sequences in
          sequences.add(block)
          guard let numbers = sequences.take(count) else {
            throw PersistenceError(.persistentStoreOperation, "A reserved block was too small.")
          }
          return numbers
        }
      }
    }
  }

  package func lastSequence() throws -> Int64 {
    _ = try prepared()
    let query = "SELECT next - 1 FROM _roost_sequence"
    return try translating {
      try pool.read(cancellation) { connection in
        log(query)
        return try connection.number(query) ?? 0
      }
    }
  }
}

extension SQLiteConnection {
  fileprivate static let reservation =
    "UPDATE _roost_sequence SET next = next + ?1 WHERE next <= ?2 RETURNING next"

  /// A key has 51 bits for the sequence number.
  private static let largestSequence: Int64 = 1 << 50

  /// Reserves a block in the file, in the open transaction.
  fileprivate func reserveSequences(_ size: Int) throws -> Range<Int64> {
    let end = try number(
      Self.reservation, [.integer(Int64(size)), .integer(Self.largestSequence)])
    guard let end else {
      throw PersistenceError(.limitExceeded, "The store has no sequence numbers left.")
    }
    return (end - Int64(size))..<end
  }
}
