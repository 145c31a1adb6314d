// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// How a save ended whose answer was lost.
//
// Each save writes a row with a token of its own. Whoever wants to know how it ended writes the same row: while the
// save is under way, that waits for it; when the row is there, the save was committed; and when it is not, writing it
// makes sure that the save never will be.
extension PostgreSQLStore {
  enum Fate {
    case committed
    case rolledBack
  }

  /// Finds out how a save ended, connecting anew as often as it takes.
  ///
  /// - Returns: nil when that could not be found out until the deadline.
  func fate(of token: UUID, deadline: Deadline) -> Fate? {
    while true {
      if let fate = try? ask(token, deadline) { return fate }
      guard deadline.remaining > 0.1 else { return nil }
      // A server that restarts refuses connections for a while.
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  private func ask(_ token: UUID, _ deadline: Deadline) throws -> Fate {
    try pool.withConnection(deadline: deadline) { connection in
      let milliseconds = PostgreSQLConnection.lockTimeout(within: deadline.remaining)
      let outcome = try connection.run([
        .begin, .once("SET LOCAL lock_timeout = \(milliseconds)"),
        try PostgreSQLCommand(
          #"INSERT INTO "_roost_commits" (token) VALUES ($1) ON CONFLICT DO NOTHING"#,
          [.uuid(token)]),
        .commit,
      ])
      let results = try outcome.get()
      guard results[3].tag == "COMMIT" else { throw connection.lossError() }
      return results[2].affected == 0 ? .committed : .rolledBack
    }
  }

  /// Makes sure that saves whose end nobody knows have ended, before anything is read or written.
  func resolvePending() throws {
    for token in unresolved {
      guard fate(of: token, deadline: Deadline(after: min(pool.timeout, 10))) != nil else {
        throw PersistenceError(
          .commitOutcomeUnknown,
          "A save was cut off, and the server cannot be asked yet how it ended.",
          store: identity.identifier)
      }
      removeUnresolved(token)
    }
  }
}
