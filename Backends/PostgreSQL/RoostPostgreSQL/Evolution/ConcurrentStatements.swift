// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Runs statements that work `CONCURRENTLY`: the server runs them only outside of transaction blocks, so they run
/// under the settings of the session.
///
/// Behind a pooler, another client may have left settings in the session that refuse or stop such a statement. From
/// then on statements run without `CONCURRENTLY` in a transaction with settings of its own: saves wait for them.
struct ConcurrentStatements {
  private static let word = "CONCURRENTLY "

  let connection: PostgreSQLConnection
  private(set) var needsTransaction = false

  init(_ connection: PostgreSQLConnection) {
    self.connection = connection
  }

  /// Runs a statement.
  ///
  /// - Throws: `PostgreSQLError`; one whose ``PostgreSQLError/isLimitOfTime`` is true is worth a retry.
  mutating func run(_ statement: String) throws {
    precondition(statement.contains(Self.word), "The statement does not work concurrently.")
    if !needsTransaction {
      do {
        return try runAlone(statement)
      } catch let error as PostgreSQLError
        where connection.pooler != .none && (error.refusesWriting || error.isLimitOfTime)
      {
        needsTransaction = true
        // The failed statement may have left an invalid index.
        guard error.refusesWriting else { throw error }
      }
    }
    _ = try connection.runWriting([
      .once("SET LOCAL lock_timeout = \(LockRetry.longestWait)"),
      .once(statement.replacing(Self.word, with: "", maxReplacements: 1)),
    ])
  }

  private func runAlone(_ statement: String) throws {
    let (isProtected, check) = (connection.isProtected, connection.sessionCheck)
    connection.isProtected = false
    connection.sessionCheck = nil
    defer {
      connection.isProtected = isProtected
      connection.sessionCheck = check
    }
    try connection.run(.once(statement))
  }
}
