// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// The snapshots of a store that contexts still read, and their age in commits.
///
/// A store must keep the versions that a snapshot reads: a log that cannot be reused, records that cannot be removed.
/// Only the reader can release them, so an old snapshot is logged.
final class HeldSnapshots: Sendable {
  private struct State {
    var commits = 0
    /// The number of readers by the commit count at which their snapshot began.
    var starts: [Int: Int] = [:]
    var nextAge: Int
  }

  /// The age in commits at which a snapshot is first reported as old; the threshold then doubles with each report.
  private let firstAge: Int
  private let state: Mutex<State>

  init(firstAge: Int = 1000) {
    self.firstAge = firstAge
    state = Mutex(State(nextAge: firstAge))
  }

  /// Notes that a reader uses the newest snapshot.
  ///
  /// - Returns: The argument for ``end(_:)``.
  func begin() -> Int {
    state.withLock { state in
      state.starts[state.commits, default: 0] += 1
      return state.commits
    }
  }

  /// Notes that a reader has ended.
  func end(_ start: Int) {
    state.withLock { state in
      guard let count = state.starts[start] else { return }
      state.starts[start] = count > 1 ? count - 1 : nil
      // The next oldest snapshot is reported on its own.
      if count == 1, !state.starts.keys.contains(where: { $0 < start }) {
        state.nextAge = firstAge
      }
    }
  }

  /// Notes a commit.
  ///
  /// - Returns: The age of the oldest snapshot in commits, when it should be reported now.
  func noteCommit() -> Int? {
    state.withLock { state in
      state.commits += 1
      let age = state.starts.keys.min().map { state.commits - $0 } ?? 0
      guard age >= state.nextAge else { return nil }
      state.nextAge = age * 2
      return age
    }
  }
}

extension AttachedStore {
  /// Notes a commit, and warns when a context still reads the state of too many commits ago.
  func noteCommit() {
    guard let age = snapshots.noteCommit() else { return }
    ModelWarnings.tell(
      "A context reads the state of \(age) saves ago, and the store keeps what was replaced since: save, reset or pin"
        + " it anew, or let it go.", to: log)
  }
}
