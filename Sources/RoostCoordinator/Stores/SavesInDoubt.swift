// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The saves over several stores that cannot be settled now.
package struct SavesInDoubt {
  let coordinator: PersistentStoreCoordinator

  package init(of coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  /// The saves of which attached stores hold a part that cannot be finished now, after what can be was.
  ///
  /// - Throws: What a store throws.
  package func list() throws -> [SaveInDoubt] {
    var found: [SaveID: SaveInDoubt] = [:]
    let recovery = SaveRecovery(coordinator: coordinator)
    for store in coordinator.route().stores {
      let parts = try store.requesting { backend in
        try store.isReadOnly ? backend.preparation?.pending() ?? [] : recovery.settle(store).left
      }
      for part in parts {
        let save = SaveInDoubt(
          id: part.ticket.id.uuid, decider: part.ticket.decider.identifier,
          deciderName: part.ticket.decider.name,
          since: Date(timeIntervalSinceReferenceDate: part.ticket.startedAt))
        found[part.ticket.id, default: save].add(store, part.keys)
      }
    }
    return found.values.sorted { $0.since < $1.since }
  }

  /// Ends a save by hand: in all attached stores that hold a part of it.
  ///
  /// - Throws: `invalidRequest` when the decider is attached and knows how the save ended, or this coordinator knows
  ///   that it ended otherwise; `invalidRequest` when no attached store holds a part of it; what a store throws.
  package func end(_ save: SaveInDoubt, committing: Bool) throws {
    let recovery = SaveRecovery(coordinator: coordinator)
    try requireUnknown(save, committing: committing)
    var count = 0
    for store in coordinator.route().stores where !store.isReadOnly {
      try store.requesting { backend in
        guard let preparation = backend.preparation,
          let part = try preparation.pending().first(where: { $0.ticket.id.uuid == save.id })
        else { return }
        try requireUndecided(part, of: store)
        store.log.remark(
          "A save over several stores was \(committing ? "committed" : "rolled back") by hand: "
            + "\(part.ticket.id), which \(part.ticket.decider.name) was to decide.")
        try recovery.finish(part, of: store, preparation, committing: committing)
        count += 1
      }
    }
    guard count > 0 else {
      throw PersistenceError(.invalidRequest, "No attached store waits for this save.")
    }
  }

  /// What this coordinator has seen decided is not ended otherwise, even where the decider is gone.
  private func requireUnknown(_ save: SaveInDoubt, committing: Bool) throws {
    for store in coordinator.route().stores {
      guard case .decided(let known)? = store.saves.remainders[SaveID(save.id)], known != committing
      else { continue }
      throw PersistenceError(
        .invalidRequest,
        "The save is known to be \(known ? "committed" : "rolled back"): it can only be ended like "
          + "that.", store: store.displayName)
    }
  }

  /// By hand is only ended what nobody else can say.
  private func requireUndecided(_ part: PreparedPart, of store: AttachedStore) throws {
    guard
      let preparation = SaveRecovery(coordinator: coordinator).decider(of: part.ticket)?.store
        .preparation
    else { return }
    let decision = try preparation.decision(
      on: part.ticket, for: store.identity.identifier, aborting: true)
    guard decision == .forgotten else {
      throw PersistenceError(
        .invalidRequest,
        "The store that decides about the save is attached and knows how it ended: nothing is to be "
          + "done by hand.", store: part.ticket.decider.name)
    }
  }
}
