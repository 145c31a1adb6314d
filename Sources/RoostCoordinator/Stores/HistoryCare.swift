// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// Schedules the trimming of a store's history.
final class HistoryCare: Sendable {
  /// After how many commits at least.
  static let commits = 64
  /// After how many seconds at the latest, if there is a commit.
  static let seconds = 3_600.0

  private struct State {
    /// How many commits are left, and until when it is not looked at without them.
    var commitsLeft = 1
    var next = -Double.infinity
    var isRunning = false
    var steps = 0
  }

  /// How much is kept.
  let limits: HistoryLimits
  private let state = Mutex(State())

  init(_ limits: HistoryLimits) {
    self.limits = limits
  }

  /// Notes a commit.
  ///
  /// - Returns: Whether it is to be looked now; then ``end(count:at:)`` must follow.
  func noteCommit(at now: Double) -> Bool {
    guard !limits.isUnlimited else { return false }
    return state.withLock { state in
      state.commitsLeft -= 1
      guard !state.isRunning, state.commitsLeft <= 0 || now >= state.next else { return false }
      state.isRunning = true
      return true
    }
  }

  /// Notes that it was looked.
  ///
  /// - Parameter count: How many transactions there are: to count many is not done often.
  func end(count: Int, at now: Double) {
    state.withLock { state in
      state.isRunning = false
      state.commitsLeft = max(Self.commits, count / 16)
      state.next = now + Self.seconds
    }
  }

  /// How many steps there were.
  var steps: Int { state.withLock { $0.steps } }

  func noteStep() {
    state.withLock { $0.steps += 1 }
  }
}
