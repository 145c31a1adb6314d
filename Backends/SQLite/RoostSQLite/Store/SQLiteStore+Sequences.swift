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
        let block = try reserveBlock(size, connection)
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

  /// Reserves a block in the file.
  ///
  /// The transaction is not synchronised by itself: no record has one of these numbers before a later commit, which
  /// synchronises everything that was logged before it.
  private func reserveBlock(_ size: Int, _ connection: SQLiteConnection) throws -> Range<Int64> {
    let update = "UPDATE _roost_sequence SET next = next + ?1 WHERE next <= ?2 RETURNING next"
    log(update)
    let end = try connection.withRelaxedDurability {
      try connection.writing {
        try pool.checkVersion(connection)
        return try connection.number(
          update, [.integer(Int64(size)), .integer(Self.largestSequence)])
      }
    }
    guard let end else {
      throw PersistenceError(.limitExceeded, "The store has no sequence numbers left.")
    }
    return (end - Int64(size))..<end
  }

  /// A key has 51 bits for the sequence number.
  private static let largestSequence: Int64 = 1 << 50
}
