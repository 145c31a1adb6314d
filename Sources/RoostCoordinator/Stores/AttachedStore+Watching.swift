// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore

extension AttachedStore {
  /// Starts or stops watching the store, according to what contexts, history followers and options need now.
  ///
  /// Calls are serialised: a watch under construction must not replace one that does more, and a second caller must
  /// not continue before the store is watched.
  func updateWatch() {
    coordinator?.historyTicks.queue.sync { updateWatchInTurn() }
  }

  /// Does the same as ``updateWatch()``, already on the queue.
  func updateWatchInTurn() {
    guard let coordinator else { return }
    let merges = coordinator.state.withLock { $0.mergesRemoteChanges }
    let announces = (try? store.description.announcesWrites) == true
    guard announces || merges || coordinator.historyTicks.isFollowed && keepsHistory else {
      watch = nil
      return
    }
    if let watch {
      if merges { watch.beginMerging(self) }
    } else {
      watch = StoreWatch(
        self, announces: announces, merges: merges, seconds: coordinator.secondsBetweenLooks)
    }
    // The store may have left the coordinator meanwhile.
    if self.coordinator == nil { watch = nil }
  }
}
