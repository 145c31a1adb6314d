// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore

extension AttachedStore {
  /// Begins or ends watching the store, as contexts, followers of the history and options want it now.
  ///
  /// One call after the other: a watch that is being made must not take the place of one that does more, and a second
  /// caller must not go on before the store is watched.
  func updateWatch() {
    coordinator?.historyTicks.queue.sync { updateWatchInTurn() }
  }

  /// The same, on the queue.
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
    // It may have left the coordinator meanwhile.
    if self.coordinator == nil { watch = nil }
  }
}
