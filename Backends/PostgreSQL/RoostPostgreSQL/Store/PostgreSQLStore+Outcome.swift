// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// How a save ended whose answer was lost.
//
// Each save writes the number of its transaction into a row of its connection (`CommitToken.swift`). Another connection
// that has to know how the save ended writes the same row: while the save is under way, that waits for it; when the row
// has another number than before, the save was committed; and when it has not, the write makes sure that the save never
// will be.
extension PostgreSQLStore {
  enum Fate {
    case committed
    case rolledBack
  }

  /// Finds out how a save ended, connecting anew as often as it takes.
  ///
  /// - Returns: nil when that could not be found out until the deadline.
  func fate(of mark: CommitToken, deadline: Deadline) -> Fate? {
    while true {
      if let fate = try? ask(mark, deadline) { return fate }
      guard deadline.remaining > 0.1 else { return nil }
      // A server that restarts refuses connections for a while.
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  func ask(_ mark: CommitToken, _ deadline: Deadline) throws -> Fate {
    try pool.withConnection(deadline: deadline) { connection in
      let milliseconds = SessionSettings.lockTimeout(within: deadline.remaining)
      let outcome = try connection.committing {
        try $0.run(
          [.begin, .once("SET LOCAL lock_timeout = \(milliseconds)"), mark.settling, .commit])
      }
      var results = try outcome.get()
      // What it says holds for this server only.
      guard !connection.hasWarned else { throw UnconfirmedCommit(mark: mark) }
      guard results.removeLast().tag == "COMMIT" else { throw connection.lossError() }
      return results.removeLast().integer() < CommitToken.fence ? .committed : .rolledBack
    }
  }

  /// Makes sure that saves whose end nobody knows have ended, before anything is read or written.
  func resolvePending() throws {
    for mark in unresolved {
      try cancellation.check()
      guard fate(of: mark, deadline: Deadline(after: min(pool.timeout, 10))) != nil else {
        throw PersistenceError(
          .commitOutcomeUnknown,
          "A save was cut off, and the server cannot be asked yet how it ended.",
          store: identity.identifier)
      }
      removeUnresolved(mark)
    }
  }
}
