// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Another program is changing the definitions of the store.
struct OtherMigrator: Error {}

/// Acquires table locks with short time-outs: a lock request in the queue blocks all later ones. So each attempt has a
/// short lock time-out, and the queued requests proceed before the next attempt.
struct LockRetry {
  let store: PostgreSQLStore

  /// The first and the longest lock time-out, in milliseconds.
  private static let shortestWait = 50
  static let longestWait = 2_000

  /// Retries `body` until it has its locks.
  ///
  /// - Parameter body: Begins a transaction, or is one; takes its lock time-out in milliseconds.
  /// - Throws: `storeBusy` when the time is over, and the other errors of `body`.
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
      // The lock requests that were queued behind this one proceed during the delay.
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
  ///   - wait: The lock time-out in milliseconds.
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
