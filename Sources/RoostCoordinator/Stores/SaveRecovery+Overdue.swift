// SPDX-License-Identifier: Apache-2.0

import RoostStore

extension SaveRecovery {
  /// Ends the parts of a store that were there at an earlier look, too: their coordinators were killed, or the decider
  /// could not be asked before. A save that is committed does not stay half visible until another save writes
  /// what it writes.
  ///
  /// - Returns: Whether there are parts to look at again, and whether there are some for which it is too early.
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
