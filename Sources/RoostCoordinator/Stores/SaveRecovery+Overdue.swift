// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore

extension SaveRecovery {
  /// How long a save may remain undecided while its coordinator may be alive, counted from when a part of it was first
  /// seen: longer than any save takes.
  private static let longestSave = Duration.seconds(600)
  /// The same, counted from the time that the save's coordinator has noted, whose clock may be wrong.
  private static let longestSaveByClock = 3_600.0

  /// Whether the coordinator of an undecided save is taken for dead: its process has ended, or it takes longer than
  /// any save does.
  ///
  /// An error is harmless, but for the time: such a save is written again.
  func isAbandoned(_ ticket: SaveTicket) -> Bool {
    CoordinatorName.hasEnded(ticket.coordinator)
      || ContinuousClock.now - coordinator.saveTraffic.firstSight(of: ticket.id) > Self.longestSave
      || Date.now.timeIntervalSinceReferenceDate - ticket.startedAt > Self.longestSaveByClock
  }

  /// The pause before a part that was just found is checked again: longer than the first grace period.
  private static let partWait = Duration.milliseconds(300)

  /// Settles the parts that other coordinators have left in stores that are about to be read, once a second at most:
  /// a program that only reads would otherwise see half of a committed save until another one writes (X6).
  ///
  /// What fails is left for later, and a part that is known to be committed makes the read itself throw.
  func look(at stores: some Sequence<AttachedStore>) {
    for store in stores where !store.isReadOnly && store.saves.takeLook() {
      let isEarly = try? store.requesting { backend in
        guard let parts = try backend.preparation?.visibleParts(), !parts.isEmpty else {
          return false
        }
        return settleOverdue(store).early
      }
      if isEarly == true { store.saves.planLook(after: Self.partWait) }
    }
  }

  /// Settles the prepared parts of a store that have been there for longer than the first grace period: their
  /// coordinators were killed, or the decider could not be asked before. Without this, a committed save would stay
  /// half visible until another save writes the same records. An undecided save may be a large one that is still
  /// being written, so it is only ended when it is abandoned.
  ///
  /// - Returns: Whether there are parts to check again, and whether some of them are still too recent.
  func settleOverdue(_ store: AttachedStore) -> (left: Bool, early: Bool) {
    guard !store.isReadOnly, let preparation = store.store.preparation,
      let parts = try? preparation.pending()
    else { return (false, false) }
    var (left, early) = (false, false)
    for part in parts
    where decider(of: part.ticket) != nil && !coordinator.saveTraffic.isWriting(part.ticket.id) {
      if !coordinator.saveTraffic.isOverdue(part.ticket.id) {
        early = true
        continue
      }
      // A coordinator that may be alive is not waited for.
      let state = try? settle(
        part, of: store, preparation, ending: .abandoned, until: Deadline(after: 0))
      if state != .finished { left = true }
    }
    return (left || early, early)
  }
}
