// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// Schedules the trimming of a store's history.
final class HistoryTrimSchedule: Sendable {
  /// The minimum number of commits between two runs.
  static let commits = 64
  /// The time after which the next commit triggers a run in any case, in seconds.
  static let seconds = 3_600.0

  private struct State {
    /// Commits left until the next run, and the time from which a commit triggers one regardless.
    var commitsLeft = 1
    var next = -Double.infinity
    var isRunning = false
    var steps = 0
  }

  /// The limits of the history.
  let limits: HistoryLimits
  private let state = Mutex(State())

  init(_ limits: HistoryLimits) {
    self.limits = limits
  }

  /// Notes a commit.
  ///
  /// - Returns: Whether to check the history now; then ``end(count:at:)`` must follow.
  func noteCommit(at now: Double) -> Bool {
    guard !limits.isUnlimited else { return false }
    return state.withLock { state in
      state.commitsLeft -= 1
      guard !state.isRunning, state.commitsLeft <= 0 || now >= state.next else { return false }
      state.isRunning = true
      return true
    }
  }

  /// Notes the end of a check.
  ///
  /// - Parameter count: The number of transactions in the history: the more there are, the less often they are
  ///   counted.
  func end(count: Int, at now: Double) {
    state.withLock { state in
      state.isRunning = false
      state.commitsLeft = max(Self.commits, count / 16)
      state.next = now + Self.seconds
    }
  }

  /// The number of trimming steps so far.
  var steps: Int { state.withLock { $0.steps } }

  func noteStep() {
    state.withLock { $0.steps += 1 }
  }
}
