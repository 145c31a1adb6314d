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
    var size: HistorySize?
  }

  /// The limits of the history.
  let limits: HistoryLimits
  private let state = Mutex(State())

  init(_ limits: HistoryLimits) {
    self.limits = limits
  }

  /// Notes a commit.
  ///
  /// - Returns: Whether to check the history now; then ``end(at:)`` must follow.
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
  /// The more transactions are known to be there, the later is the next one: they may have to be counted again when
  /// another process has deleted some.
  func end(at now: Double) {
    state.withLock { state in
      state.isRunning = false
      state.commitsLeft = max(Self.commits, (state.size?.count ?? 0) / 16)
      state.next = now + Self.seconds
    }
  }

  /// The size of the history when it was last counted, from which counting continues; nil before.
  var size: HistorySize? {
    get { state.withLock { $0.size } }
    set { state.withLock { $0.size = newValue } }
  }

  /// The number of trimming steps so far.
  var steps: Int { state.withLock { $0.steps } }

  func noteStep() {
    state.withLock { $0.steps += 1 }
  }
}
