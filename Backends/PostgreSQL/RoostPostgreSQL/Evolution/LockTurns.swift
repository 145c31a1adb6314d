// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Another program changes the definitions of the store at the moment.
struct OtherMigrator: Error {}

/// Waits for table locks in short turns: a lock request in the queue blocks all later ones. So each attempt has a short
/// lock time-out, and the others go on before the next one.
struct LockTurns {
  let store: PostgreSQLStore

  /// The first time that a turn waits for a lock, and the longest, in milliseconds.
  private static let shortestWait = 50
  static let longestWait = 2_000

  /// Runs `body` in turns until it has its locks.
  ///
  /// - Parameter body: Begins a transaction, or does what is one; takes how long it may wait for a lock, in
  ///   milliseconds.
  /// - Throws: `storeBusy` when the time is over, and what `body` throws otherwise.
  func run<Result>(
    _ connection: PostgreSQLConnection, _ body: (_ wait: Int) throws -> Result
  ) throws -> Result {
    let deadline = Deadline(after: store.description.timeout)
    var wait = Self.shortestWait
    while true {
      do {
        return try body(wait)
      } catch let error as PostgreSQLError where error.isLimitOfTime || error.isCollision {
        try connection.rollBack()
        guard !deadline.isOver else { throw error }
      } catch is OtherMigrator {
        try connection.rollBack()
        guard !deadline.isOver else {
          throw PersistenceError(
            .storeBusy, "Another program was changing the store until the time was over.")
        }
      }
      try store.cancellation.check()
      // Those who wait behind this one have their turn.
      Thread.sleep(forTimeInterval: Double(wait) / 1_000 * Double.random(in: 0.5...1.5))
      wait = min(wait * 2, Self.longestWait)
    }
  }
}

extension PostgreSQLConnection {
  /// Locks tables in the open transaction.
  ///
  /// - Parameters:
  ///   - mode: The kind of lock, as `ACCESS EXCLUSIVE`.
  ///   - wait: How long the server may wait for the locks, in milliseconds.
  func lock(
    _ tables: [String], in mode: String, waiting wait: Int
  ) throws {
    _ = try run([
      .once("SET LOCAL lock_timeout = \(wait)"),
      .once("LOCK TABLE \(tables.joined(separator: ", ")) IN \(mode) MODE"),
      .once(
        "SET LOCAL lock_timeout = \(SessionSettings.lockTimeout(within: timeout))"),
    ]).get()
  }
}
