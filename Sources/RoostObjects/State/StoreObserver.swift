// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import Synchronization

/// Hears on any thread which stores were removed, and keeps that until the context looks (B235).
final class StoreObserver: CoordinatorObserver {
  private let removed = Mutex<[StoreIdentity]>([])
  var hearsCommits: Bool { false }

  func coordinator(_: PersistentStoreCoordinator, didRemove store: StoreIdentity) {
    removed.withLock { $0.append(store) }
  }

  func coordinator(_: PersistentStoreCoordinator, didCommit changes: CommittedChanges) {}

  /// Whether stores were removed since the last call of ``takeRemoved()``.
  var hasRemoved: Bool { removed.withLock { !$0.isEmpty } }

  /// The stores that were removed since the last call.
  func takeRemoved() -> [StoreIdentity] {
    removed.withLock { stores in
      defer { stores = [] }
      return stores
    }
  }
}
