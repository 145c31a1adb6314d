// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// How long a part that another process has prepared may stand in the way of a save before the save asks how it ended.
///
/// Nobody can tell a dead process from a slow one. A large save over two servers takes its time, and begins anew when
/// it was ended: so each part that was ended undecided doubles the time for the next ones, until none was for a while.
final class PartPatience: Sendable {
  private static let first = 1.0
  private static let longest = 64.0
  /// After so many seconds without an ended part all is as in the beginning.
  private static let memory = 120.0

  private struct State {
    var seconds = PartPatience.first
    var end = Deadline(after: 0)
  }

  private let state = Mutex(State())

  /// The time, in seconds.
  var seconds: Double {
    state.withLock { $0.end.isOver ? Self.first : $0.seconds }
  }

  /// A part of another process was ended that was not decided.
  func partWasEnded() {
    let now = seconds
    state.withLock { state in
      state.seconds = min(now * 2, Self.longest)
      state.end = Deadline(after: Self.memory)
    }
  }
}
