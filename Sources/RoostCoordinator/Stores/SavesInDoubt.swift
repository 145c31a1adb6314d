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

  /// Returns the saves with a part in an attached store that cannot be finished now, after finishing the others. A
  /// store that cannot be reached is skipped.
  ///
  /// - Throws: The error of a store when none can be reached.
  package func list() throws -> [SaveInDoubt] {
    var found: [SaveID: SaveInDoubt] = [:]
    let stores = coordinator.route().stores
    let deadline = SaveRecovery.longestLook
    for (store, parts) in try reachable(stores, { try parts(of: $0, until: deadline) }) {
      for (part, failure) in parts {
        let save = SaveInDoubt(
          id: part.ticket.id.uuid, decider: part.ticket.decider.identifier,
          deciderName: part.ticket.decider.name,
          since: Date(timeIntervalSinceReferenceDate: part.ticket.startedAt))
        found[part.ticket.id, default: save].add(store, part.keys, failure)
      }
    }
    return found.values.sorted { $0.since < $1.since }
  }

  /// Returns the remaining parts of a store, after finishing those that can be, with the errors of those whose outcome
  /// is known.
  private func parts(
    of store: AttachedStore, until deadline: Deadline
  ) throws -> [(PreparedPart, PersistenceError?)] {
    try store.requestingAsItIs { backend in
      guard !store.isReadOnly else {
        return try backend.preparation?.pending().map { ($0, nil) } ?? []
      }
      let result = try SaveRecovery(coordinator: coordinator)
        .settle(store, ending: .abandoned, until: deadline)
      return result.left.map { ($0, nil) } + result.failed.map { ($0.part, $0.error) }
    }
  }

  /// Asks stores, and skips those that cannot be reached.
  ///
  /// - Throws: The first store's error when none of them can be reached, and `userCancelled`.
  private func reachable<Answer>(
    _ stores: [AttachedStore], _ ask: (AttachedStore) throws -> Answer
  ) throws -> [(AttachedStore, Answer)] {
    var answers: [(AttachedStore, Answer)] = []
    var failure: (any Error)?
    for store in stores {
      do {
        answers.append((store, try ask(store)))
      } catch {
        try RequestScope.cancellation?.check()
        store.log.remark("The store could not be asked for parts of saves: \(error)")
        failure = failure ?? error
      }
    }
    if answers.isEmpty, let failure { throw failure }
    return answers
  }

  /// Ends a save by hand, in all attached stores that hold a part of it, and records that in the metadata of each.
  /// Stores that cannot be reached keep their parts; end the save again to end those in the same way.
  ///
  /// A committed save whose part a store cannot write, because it is damaged, is rolled back in that store only: the
  /// others have it already, or finish it themselves.
  ///
  /// - Throws: `invalidRequest` when the decider is attached and knows the outcome, or cannot be reached, or this
  ///   coordinator knows the opposite outcome; `invalidRequest` when no reachable store holds a part of it; errors of
  ///   a store.
  package func end(_ save: SaveInDoubt, committing: Bool) throws {
    let recovery = SaveRecovery(coordinator: coordinator)
    let writable = coordinator.route().stores.filter { !$0.isReadOnly }
    let holders = try reachable(writable) { store in
      try store.requestingAsItIs { try $0.preparation?.pending() ?? [] }
        .first { $0.ticket.id.uuid == save.id }
    }
    if !committing, try giveUp(holders) { return }
    try requireUnknown(save, committing: committing)
    var count = 0
    for case let (store, part?) in holders {
      try store.requestingAsItIs { backend in
        guard let preparation = backend.preparation else { return }
        try requireUndecided(part, of: store)
        store.log.remark(
          "A save over several stores was \(committing ? "committed" : "rolled back") by hand: "
            + "\(part.ticket.id), which \(part.ticket.decider.name) was to decide.")
        try store.recording(part, isCommitted: committing, in: backend) {
          try recovery.finish(part, of: store, preparation, committing: committing)
        }
        count += 1
      }
    }
    guard count > 0 else {
      throw PersistenceError(
        .invalidRequest, "No attached store that can be reached waits for this save.")
    }
  }

  /// Removes the parts of a committed save that their stores can never write.
  ///
  /// - Returns: Whether there were some.
  private func giveUp(_ holders: [(AttachedStore, PreparedPart?)]) throws -> Bool {
    var hasFound = false
    for case let (store, part?) in holders where store.saves.isDamaged(part.ticket.id) {
      try store.requestingAsItIs { backend in
        guard let preparation = backend.preparation else { return }
        store.log.remark(
          "The store's part of a save over several stores that is committed was given up by hand, "
            + "because the store cannot write it: \(part.ticket.id), \(part.keys.count) records.")
        try store.recording(part, isCommitted: false, in: backend) {
          try SaveRecovery(coordinator: coordinator).giveUp(part, of: store, preparation)
        }
        hasFound = true
      }
    }
    return hasFound
  }

  /// Throws when this coordinator knows the opposite outcome, even if the decider is gone.
  private func requireUnknown(_ save: SaveInDoubt, committing: Bool) throws {
    for store in coordinator.route().stores {
      guard let remainder = store.saves.remainders[SaveID(save.id)], remainder != .undecided
      else { continue }
      let known = remainder.isCommitted
      guard known != committing else { continue }
      throw PersistenceError(
        .invalidRequest,
        "The save is known to be \(known ? "committed" : "rolled back"): it can only be ended like "
          + "that.", store: store.displayName)
    }
  }

  /// Throws unless the decider is missing or has forgotten the save.
  private func requireUndecided(_ part: PreparedPart, of store: AttachedStore) throws {
    let recovery = SaveRecovery(coordinator: coordinator)
    guard let preparation = recovery.decider(of: part.ticket)?.store.preparation else { return }
    func ask(aborting: Bool) throws -> Decision {
      try preparation.decision(
        on: part.ticket, for: store.identity.identifier, aborting: aborting)
    }
    var decision: Decision
    do {
      decision = try ask(aborting: recovery.isAbandoned(part.ticket))
      // A coordinator whose save is ended by hand must not decide any more.
      if decision == .forgotten { decision = try ask(aborting: true) }
    } catch {
      throw PersistenceError(
        .invalidRequest,
        "The store that decides about the save is attached and cannot be reached now: it may know "
          + "how the save ended. Remove it from the coordinator first if it is lost for good.",
        store: part.ticket.decider.name, underlying: error)
    }
    guard decision == .forgotten else {
      throw PersistenceError(
        .invalidRequest,
        "The store that decides about the save is attached and knows how it ended, or will know when "
          + "it is decided: nothing is to be done by hand.", store: part.ticket.decider.name)
    }
  }
}
