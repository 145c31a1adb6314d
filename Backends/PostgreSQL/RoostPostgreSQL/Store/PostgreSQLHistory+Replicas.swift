// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// A replica shows later what its primary shows already. Who reads it with a position from elsewhere waits until it
// shows all that is before the position: else the answer would be that of another moment, or an error that says that
// the position is of no use any more.
extension PostgreSQLHistory {
  /// How long it is waited between two looks, in seconds: at first, and at last.
  private static let pauses = (first: 0.005, last: 0.1)

  /// Calls a closure until it has an answer, waiting for a replica that has not reached a position, until the time of a
  /// request is over.
  ///
  /// - Parameter body: Answers nil where it has to be waited; told whether the position was reached before.
  /// - Throws: `storeBusy` when the time is over.
  func reaching<Answer>(
    _ position: StorePosition?, _ body: (_ isReached: Bool) throws -> Answer?
  ) throws -> Answer {
    if let answer = try body(false) { return answer }
    let deadline = Deadline(after: store.pool.timeout)
    var pause = Self.pauses.first
    while !deadline.isOver {
      // What is read after it was reached is read in a later snapshot.
      if try isReached(position), let answer = try body(true) { return answer }
      try store.cancellation?.check()
      Thread.sleep(forTimeInterval: min(pause, deadline.remaining))
      pause = min(pause * 2, Self.pauses.last)
    }
    throw PersistenceError(
      .storeBusy,
      "The server is a replica that has not reached the token yet. Ask again later, give the store "
        + "a longer timeout, or ask the primary.", store: store.identity.identifier)
  }

  private func isReached(_ position: StorePosition?) throws -> Bool {
    guard let shown = try Self.shown(by: position) else { return true }
    return try reading { connection in
      let command = try connection.namespace.reaching(shown)
      store.log(command.text)
      return try connection.run(command).isTrue()
    }
  }
}

extension PostgreSQLHistory.State {
  /// Whether this is a replica whose snapshot may lack something that a position of the same history has behind it.
  func mayBeBehind(_ position: StorePosition, _ shown: SnapshotText?) -> Bool {
    guard isReplica, position.epoch == epoch, let shown else { return false }
    if shown.ceiling > snapshot.ceiling { return true }
    let before = Set(shown.inProgress)
    return snapshot.inProgress.contains { $0 < shown.ceiling && !before.contains($0) }
  }
}
