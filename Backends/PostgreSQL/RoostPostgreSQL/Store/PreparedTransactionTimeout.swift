// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// How long a save waits for a part that another process has prepared before it asks for the part's outcome.
///
/// A dead process cannot be told from a slow one. A large save over two servers takes its time, and begins anew when
/// it was ended. So each part that was ended undecided doubles the time for the next ones, until none was ended for a
/// while.
final class PreparedTransactionTimeout: Sendable {
  private static let first = 1.0
  private static let longest = 64.0
  /// The time in seconds without an ended part after which the first value applies again.
  private static let memory = 120.0

  private struct State {
    var seconds = PreparedTransactionTimeout.first
    var end = Deadline(after: 0)
  }

  private let state = Mutex(State())

  /// The current waiting time, in seconds.
  var seconds: Double {
    state.withLock { $0.end.isOver ? Self.first : $0.seconds }
  }

  /// Doubles the waiting time after an undecided part of another process was ended.
  func partWasEnded() {
    let now = seconds
    state.withLock { state in
      state.seconds = min(now * 2, Self.longest)
      state.end = Deadline(after: Self.memory)
    }
  }
}
