// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// A participant that still has an older part of another save does not take note of later decisions, so that it can be
// told from one that was put back from a copy (X8). That holds wherever decisions are acknowledged.
extension SaveRecovery {
  /// Whether a store holds a part, prepared before a time, that another store decides about, or cannot say so.
  func holdsPart(
    _ store: AttachedStore, of decider: AttachedStore, before time: Double = .infinity
  ) -> Bool {
    guard let parts = try? store.store.preparation?.pending() else { return true }
    return parts.contains {
      $0.ticket.decider.identifier == decider.identity.identifier && $0.ticket.startedAt < time
        && !coordinator.saveTraffic.isWriting($0.ticket.id)
    }
  }

  /// What a decider is told now of what participants have finished. Those that are not attached any more had no older
  /// part when they were closed.
  ///
  /// - Parameter finishing: Whether what stands against it and is decided is finished first.
  func acknowledgements(
    to decider: AttachedStore, finishing: Bool = true
  ) -> [SaveAcknowledgement] {
    let known = decider.saves.acknowledged
    let waiting = Set(known.map(\.participant)).filter { identifier in
      guard !identifier.isEmpty, let store = attachedStore(identifier) else { return false }
      // As a rule there is none: the store is asked once.
      guard holdsPart(store, of: decider) else { return false }
      guard finishing else { return true }
      // What is decided is finished; what is not must not be waited for by a save that has nothing to do with it.
      _ = try? settle(store, aborting: false)
      return holdsPart(store, of: decider)
    }
    return known.filter { !waiting.contains($0.participant) }
  }

  /// Sees to it that only what may be said is said when a store is closed, and later of it.
  ///
  /// - Returns: What the store is told as a decider.
  func acknowledgements(closing store: AttachedStore) -> [SaveAcknowledgement] {
    let identifier = store.identity.identifier
    for other in coordinator.attachedStores
    where other !== store
      && other.saves.acknowledged.contains(where: { $0.participant == identifier })
    {
      if holdsPart(store, of: other) { other.saves.withdraw(identifier) }
    }
    return acknowledgements(to: store, finishing: false)
  }
}
