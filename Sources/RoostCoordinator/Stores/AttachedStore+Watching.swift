// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore

extension AttachedStore {
  /// Looks what others write as far as anybody wants to know: called by whoever begins to want it, or ends.
  ///
  /// One call after the other: a watch that is being made must not take the place of one that does more, and whoever
  /// comes second must not go on before the store is watched.
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
