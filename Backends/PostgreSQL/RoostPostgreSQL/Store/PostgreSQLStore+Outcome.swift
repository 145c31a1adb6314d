// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// The outcome of a save whose answer was lost.
//
// Each save writes the number of its transaction into a row of its connection (`CommitToken.swift`). To find out the
// outcome, another connection writes the same row. While the save is in progress, that write waits for it. If the row
// has another number than before, the save was committed; if it has not, the write makes sure that the save can never
// be committed.
extension PostgreSQLStore {
  enum Fate {
    case committed
    case rolledBack
  }

  /// Returns the outcome of a save; reconnects as often as necessary.
  ///
  /// - Returns: nil when the outcome is still unknown at the deadline.
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
      // The result is valid for this server only, not for its standbys.
      guard !connection.hasWarned else { throw UnconfirmedCommit(mark: mark) }
      guard results.removeLast().tag == "COMMIT" else { throw connection.lossError() }
      return results.removeLast().integer() < CommitToken.fence ? .committed : .rolledBack
    }
  }

  /// Resolves saves with an unknown outcome, before anything is read or written.
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
