// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// What others write to the stores of a coordinator.
package struct RemoteChanges {
  let coordinator: PersistentStoreCoordinator

  package init(to coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  /// Takes it over from now on, also of stores that are added later: rows that are cached are forgotten, and observers
  /// hear of it as of a commit.
  package func beginMerging() {
    coordinator.state.withLock { $0.mergesRemoteChanges = true }
    for store in coordinator.attachedStores { store.updateWatch() }
  }

  /// How often stores are looked at where hints are not trusted, in seconds; 1.
  package var secondsBetweenLooks: Double {
    get { coordinator.secondsBetweenLooks }
    nonmutating set {
      coordinator.state.withLock { $0.secondsBetweenLooks = newValue }
      for store in coordinator.attachedStores { store.watch?.setInterval(newValue) }
    }
  }

  /// How often each store is looked at without a hint at the moment, in seconds.
  package var intervals: [Double] {
    coordinator.attachedStores.compactMap { $0.watch?.interval }
  }

  /// The hints of all stores that came, and the looks that were made of them.
  package var hintCounts: (hints: Int, looks: Int) {
    coordinator.attachedStores.compactMap { $0.watch?.hintCounts }
      .reduce((0, 0)) { ($0.0 + $1.hints, $0.1 + $1.looks) }
  }

  /// Looks now what others have written, where that is asked for, and not only when it is time.
  package func look() {
    for store in coordinator.attachedStores { store.watch?.look() }
  }
}
