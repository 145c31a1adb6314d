// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import Synchronization

/// Which stores were removed since the context looked the last time (B235).
final class RemovedStores: Sendable {
  private let stores = Mutex<[StoreIdentity]>([])
  /// Whether there are any, for those who only look; written behind the lock.
  private let isFilled = Atomic<Bool>(false)

  /// Whether there are none.
  var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

  /// The stores, which are forgotten.
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

/// Hears on any thread which stores were removed.
///
/// The coordinator holds it weakly, and the context looks at what it heard all the time: these are two objects, for
/// references to one that has weak ones are counted slowly.
final class StoreObserver: CoordinatorObserver {
  let removed = RemovedStores()
  var hearsCommits: Bool { false }

  func coordinator(_: PersistentStoreCoordinator, didRemove store: StoreIdentity) {
    removed.append(store)
  }

  func coordinator(_: PersistentStoreCoordinator, didCommit changes: CommittedChanges) {}
}
