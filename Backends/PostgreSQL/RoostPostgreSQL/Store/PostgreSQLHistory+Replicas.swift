// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// A replica lags behind its primary. A reader with a position from another server waits until the replica has
// replayed everything before the position: otherwise it would get an older state, or an error for an expired
// position.
extension PostgreSQLHistory {
  /// The polling interval, in seconds: it doubles from the first value up to the last.
  private static let pauses = (first: 0.005, last: 0.1)

  /// Calls a closure until it returns an answer, and waits meanwhile for a replica to reach a position, up to the
  /// time-out of a request.
  ///
  /// - Parameter body: Returns nil to wait; its argument is whether the position is known to be reached.
  /// - Throws: `storeBusy` after the time-out.
  func reaching<Answer>(
    _ position: StorePosition?, _ body: (_ isReached: Bool) throws -> Answer?
  ) throws -> Answer {
    if let answer = try body(false) { return answer }
    let deadline = Deadline(after: store.pool.timeout)
    var pause = Self.pauses.first
    while !deadline.isOver {
      // The next read uses a later snapshot, which includes the position.
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
  /// Whether this is a replica whose snapshot may lack transactions before a position of the same history.
  func mayBeBehind(_ position: StorePosition, _ shown: SnapshotText?) -> Bool {
    guard isReplica, position.epoch == epoch, let shown else { return false }
    if shown.ceiling > snapshot.ceiling { return true }
    let before = Set(shown.inProgress)
    return snapshot.inProgress.contains { $0 < shown.ceiling && !before.contains($0) }
  }
}
