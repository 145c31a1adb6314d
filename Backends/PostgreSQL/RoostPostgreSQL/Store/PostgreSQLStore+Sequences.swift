// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

extension PostgreSQLStore {
  package func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    precondition(count > 0, "At least one sequence number is reserved.")
    return try translating {
      while true {
        if let numbers = withSequences({ $0.take(count) }) { return numbers }
        let size = withSequences { $0.blockSize(for: count) }
        // Two threads may reserve a block each; the rest of the first one is lost.
        let block = try withConnection { try $0.reserveSequences(size) { log($0) } }
        withSequences { $0.add(block) }
      }
    }
  }

  package func lastSequence() throws -> Int64 {
    _ = try prepared()
    return try translating {
      try withReading { connection in
        // A sequence that gave no number yet tells its first one.
        let query =
          "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END "
          + "FROM \(connection.namespace.sequence)"
        log(query)
        return try connection.run(.once(query)).integer()
      }
    }
  }
}

extension PostgreSQLConnection {
  /// Reserves a block of the server's sequence. A sequence is never rolled back, and its steps reach the disk no later
  /// than the commit that uses one of its numbers.
  fileprivate func reserveSequences(
    _ size: Int, log: (String) -> Void
  ) throws -> Range<Int64> {
    let sequence = namespace.identity(of: namespace.sequence)
    let step =
      "SELECT pg_catalog.setval(\(sequence), pg_catalog.nextval(\(sequence)) + $1 - 1)"
    log(step)
    // No other session may take a number between the two functions. The lock ends with the statements' own
    // transaction.
    let lock =
      "SELECT pg_catalog.pg_advisory_xact_lock(\(PostgreSQLNamespace.lockSpace), "
      + "CAST(\(sequence) AS integer))"
    let results = try runWriting([
      PostgreSQLCommand(lock), try PostgreSQLCommand(step, [.integer(Int64(size))]),
    ])
    let end = results[1].integer() + 1
    return (end - Int64(size))..<end
  }
}
