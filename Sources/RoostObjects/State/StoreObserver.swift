// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import Synchronization

/// The stores removed since the context last checked (B235).
final class RemovedStores: Sendable {
  private let stores = Mutex<[StoreIdentity]>([])
  /// Whether there are any, for reads without the lock; written under the lock.
  private let isFilled = Atomic<Bool>(false)

  /// Whether there are none.
  var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

  /// Returns the stores and empties the list.
  func take() -> [StoreIdentity] {
    stores.withLock { stores in
      defer { stores = [] }
      isFilled.store(false, ordering: .releasing)
      return stores
    }
  }

  fileprivate func append(_ store: StoreIdentity) {
    stores.withLock { stores in
      stores.append(store)
      isFilled.store(true, ordering: .releasing)
    }
  }
}

/// Observes removals of stores, on any thread.
///
/// The coordinator holds it weakly, and the context checks the removed stores all the time. These are two objects,
/// since reference counting is slow on an object with weak references.
final class StoreObserver: CoordinatorObserver {
  let removed = RemovedStores()
  var hearsCommits: Bool { false }

  func coordinator(_: PersistentStoreCoordinator, didRemove store: StoreIdentity) {
    removed.append(store)
  }

  func coordinator(_: PersistentStoreCoordinator, didCommit changes: CommittedChanges) {}
}
