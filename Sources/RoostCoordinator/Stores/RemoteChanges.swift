// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// Controls how a coordinator merges writes by other coordinators and processes to its stores.
package struct RemoteChanges {
  let coordinator: PersistentStoreCoordinator

  package init(to coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  /// Merges such writes from now on, also for stores that are added later: cached rows are dropped, and observers
  /// receive the changes as they do those of a commit.
  package func beginMerging() {
    coordinator.state.withLock { $0.mergesRemoteChanges = true }
    for store in coordinator.attachedStores { store.updateWatch() }
  }

  /// The polling interval while hints are not trusted, in seconds; 1 by default.
  package var secondsBetweenLooks: Double {
    get { coordinator.secondsBetweenLooks }
    nonmutating set {
      coordinator.state.withLock { $0.secondsBetweenLooks = newValue }
      for store in coordinator.attachedStores { store.watch?.setInterval(newValue) }
    }
  }

  /// The current polling interval of each watched store, in seconds.
  package var intervals: [Double] {
    coordinator.attachedStores.compactMap { $0.watch?.interval }
  }

  /// The number of hints received and of polls made, summed over all stores.
  package var hintCounts: (hints: Int, looks: Int) {
    coordinator.attachedStores.compactMap { $0.watch?.hintCounts }
      .reduce((0, 0)) { ($0.0 + $1.hints, $0.1 + $1.looks) }
  }

  /// Polls all watched stores now.
  package func look() {
    for store in coordinator.attachedStores { store.watch?.look() }
  }
}
