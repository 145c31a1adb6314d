// SPDX-License-Identifier: Apache-2.0

import RoostStore

extension SaveRecovery {
  /// Settles the prepared parts of a store that have been seen for longer than the patience allows: their
  /// coordinators were killed, or the decider could not be asked before. Without this, a committed save would stay
  /// half visible until another save writes the same records.
  ///
  /// - Returns: Whether there are parts to check again, and whether some of them are still too recent.
  func settleOverdue(_ store: AttachedStore) -> (left: Bool, early: Bool) {
    guard !store.isReadOnly, let preparation = store.store.preparation,
      let parts = try? preparation.pending()
    else { return (false, false) }
    var (left, early) = (false, false)
    for part in parts
    where decider(of: part.ticket) != nil && !coordinator.saveTraffic.isWriting(part.ticket.id) {
      let sight = coordinator.saveTraffic.firstSight(of: part.ticket.id)
      if ContinuousClock.now <= sight + coordinator.saveTraffic.patience {
        early = true
      } else if (try? settle(part, of: store, preparation, aborting: true)) != true {
        left = true
      }
    }
    return (left || early, early)
  }
}
