// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// A participant with an older prepared part of another save does not acknowledge later decisions, so that it can be
// told from a store that was restored from a copy (X8). That holds wherever decisions are acknowledged.
extension SaveRecovery {
  /// Whether a store holds a part, prepared before a time, that another store decides; true if it cannot be asked.
  func holdsPart(
    _ store: AttachedStore, of decider: AttachedStore, before time: Double = .infinity
  ) -> Bool {
    guard let parts = try? store.store.preparation?.pending() else { return true }
    return parts.contains {
      $0.ticket.decider.identifier == decider.identity.identifier && $0.ticket.startedAt < time
        && !coordinator.saveTraffic.isWriting($0.ticket.id)
    }
  }

  /// The acknowledgements that a decider can receive now. Participants that are no longer attached had no older part
  /// when they were closed.
  ///
  /// - Parameter finishing: Whether decided parts that prevent an acknowledgement are finished first.
  func acknowledgements(
    to decider: AttachedStore, finishing: Bool = true
  ) -> [SaveAcknowledgement] {
    let known = decider.saves.acknowledged
    let waiting = Set(known.map(\.participant)).filter { identifier in
      guard !identifier.isEmpty, let store = attachedStore(identifier) else { return false }
      // As a rule there is no such part, and the store is asked only once.
      guard holdsPart(store, of: decider) else { return false }
      guard finishing else { return true }
      // Decided parts are finished; a save must not wait for undecided parts of unrelated saves.
      _ = try? settle(store, ending: .none, until: Deadline(after: 0))
      return holdsPart(store, of: decider)
    }
    return known.filter { !waiting.contains($0.participant) }
  }

  /// Withdraws the acknowledgements that a store being closed must not give because it still holds older parts.
  ///
  /// - Returns: The acknowledgements that the store receives as a decider.
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
