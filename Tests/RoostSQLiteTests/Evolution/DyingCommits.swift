// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostStore
import Synchronization

@testable import RoostSQLite

/// Ends a store at one of its commits, as a kill would: that one and all later ones are rolled back.
final class DyingCommits: Sendable {
  private let state: Mutex<(left: Int, count: Int)>

  /// Makes an end.
  ///
  /// - Parameter count: The number of commits that succeed.
  init(after count: Int = .max) {
    state = Mutex((count, 0))
  }

  /// How many commits there were.
  var count: Int { state.withLock(\.count) }

  var isDead: Bool { state.withLock { $0.left < 0 } }

  /// Asked by SQLite before each commit.
  private func commit() -> Int32 {
    state.withLock { state in
      state.left -= 1
      guard state.left >= 0 else { return 1 }
      state.count += 1
      return 0
    }
  }

  func install(in store: any PersistentStore) throws {
    guard let store = store as? SQLiteStore else { return }
    let context = Unmanaged.passUnretained(self).toOpaque()
    try store.pool.write { connection in
      _ = sqlite3_commit_hook(
        connection.handle,
        { context in
          guard let context else { return 0 }
          return Unmanaged<DyingCommits>.fromOpaque(context).takeUnretainedValue().commit()
        }, context)
    }
  }
}
