// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// Locks of tables that others use: who comes while one waits for such a lock waits behind it, so nobody waits long.
extension PostgreSQLStore {
  /// The first time that a turn waits for a lock, and the longest, in milliseconds.
  private static let shortestWait = 50
  private static let longestWait = 2_000

  /// Runs `turn` again and again until it has its locks, or the time of a request is over. What a turn has begun is
  /// rolled back before the next one.
  ///
  /// - Parameter turn: Begins a transaction and takes locks, waiting for as many milliseconds as it is given.
  func inShortTurns<Result>(
    _ connection: PostgreSQLConnection, _ turn: (Int) throws -> Result
  ) throws -> Result {
    let deadline = Deadline(after: description.timeout)
    var wait = Self.shortestWait
    while true {
      do {
        return try turn(wait)
      } catch let error as PostgreSQLError where error.isLimitOfTime || error.isCollision {
        try connection.rollBack()
        try cancellation.check()
        guard !deadline.isOver else { throw error }
        // Those who wait behind this one have their turn.
        Thread.sleep(forTimeInterval: Double(wait) / 1_000 * Double.random(in: 0.5...1.5))
        wait = min(wait * 2, Self.longestWait)
      }
    }
  }

  /// Locks tables in the open transaction.
  ///
  /// - Parameters:
  ///   - mode: The kind of lock, as `ACCESS EXCLUSIVE`.
  ///   - wait: How long the server may wait for the locks, in milliseconds.
  func lock(
    _ tables: [String], in mode: String, waiting wait: Int, _ connection: PostgreSQLConnection
  ) throws {
    _ = try connection.run([
      .once("SET LOCAL lock_timeout = \(wait)"),
      .once("LOCK TABLE \(tables.joined(separator: ", ")) IN \(mode) MODE"),
      .once(
        "SET LOCAL lock_timeout = \(SessionSettings.lockTimeout(within: connection.timeout))"),
    ]).get()
  }
}
