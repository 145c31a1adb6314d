// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Finishes prepared parts of saves that their coordinators left behind, because they were killed or have lost a
/// store: it asks the decider for the outcome, and commits or aborts accordingly (X5, X6).
///
/// A dead coordinator cannot be told from a slow one. So a save of another coordinator is given a grace period, and
/// then aborted by removing the coordinator's registration: whether dead or slow, it can no longer decide.
struct SaveRecovery {
  let coordinator: PersistentStoreCoordinator

  private static let pause = 0.005

  /// The outcome of settling the prepared parts of a store.
  struct Result {
    /// The number of finished parts, by this call or by others meanwhile.
    var settled = 0
    /// The parts whose decider cannot be asked, or does not know the outcome.
    var left: [PreparedPart] = []
  }

  /// Returns the store that decides a save; nil when it is not attached.
  func decider(of ticket: SaveTicket) -> AttachedStore? { attachedStore(ticket.decider.identifier) }

  /// Returns the store with a UUID; nil when it is not attached.
  func attachedStore(_ identifier: String) -> AttachedStore? {
    coordinator.state.withLock { $0.list.store(identifier: identifier) }
  }

  // MARK: - One store

  /// Settles the prepared parts of a store as far as possible. Parts of saves that this coordinator is writing now
  /// are left alone.
  ///
  /// - Parameter aborting: Whether to wait for undecided saves, and then abort them.
  /// - Throws: Errors of the store while listing or finishing its parts.
  func settle(_ store: AttachedStore, aborting: Bool = true) throws -> Result {
    var result = Result()
    guard !store.isReadOnly, let preparation = store.store.preparation else { return result }
    let parts = try preparation.pending().filter {
      !coordinator.saveTraffic.isWriting($0.ticket.id)
    }
    // The grace period of all of them begins now.
    for part in parts { _ = coordinator.saveTraffic.firstSight(of: part.ticket.id) }
    for part in parts {
      if try settle(part, of: store, preparation, aborting: aborting) {
        result.settled += 1
      } else {
        result.left.append(part)
      }
    }
    return result
  }

  /// - Returns: Whether the part is finished.
  func settle(
    _ part: PreparedPart, of store: AttachedStore, _ preparation: any StorePreparation,
    aborting: Bool
  ) throws -> Bool {
    let decision: Decision
    if case .decided(let committing)? = store.saves.remainders[part.ticket.id] {
      decision = committing ? .committed : .aborted
    } else {
      let isOwn = store.saves.remainders[part.ticket.id] != nil
      decision = try self.decision(
        on: part, of: store.identity.identifier, preparation, isOver: isOwn, aborting: aborting)
    }
    switch decision {
    case .none: return try !preparation.pending().contains(part)
    case .forgotten: return false
    case .committed: try finish(part, of: store, preparation, committing: true)
    case .aborted: try finish(part, of: store, preparation, committing: false)
    }
    return true
  }

  /// Asks the decider for the outcome, and gives a save of another coordinator its grace period.
  ///
  /// - Parameters:
  ///   - isOver: Whether the save's coordinator is known to have given up.
  ///   - aborting: Whether to wait for the decision, and then abort.
  /// - Returns: `none` when the part was finished by others, or the decider cannot be asked.
  func decision(
    on part: PreparedPart, of store: String, _ preparation: any StorePreparation,
    isOver: Bool = false, aborting: Bool = true
  ) throws -> Decision {
    let ticket = part.ticket
    guard let decider = decider(of: ticket)?.store.preparation else { return .none }
    let deadline =
      coordinator.saveTraffic.firstSight(of: ticket.id) + coordinator.saveTraffic.patience
    while true {
      let isLate = ContinuousClock.now > deadline
      let isOver = aborting && (isOver || isLate)
      do {
        let decision = try decider.decision(on: ticket, for: store, aborting: isOver)
        if decision == .aborted, aborting, isLate { coordinator.saveTraffic.othersWereEnded() }
        // Asked again with `aborting`, so that the coordinator can no longer decide, even if the save is then ended
        // by hand.
        if decision == .forgotten, aborting, !isOver {
          return try decider.decision(on: ticket, for: store, aborting: true)
        }
        // A decider that was opened read-only aborts nothing.
        if decision != .none || isOver || !aborting { return decision }
      } catch {
        // The decider cannot be reached now.
        return .none
      }
      guard try preparation.pending().contains(part) else { return .none }
      Thread.sleep(forTimeInterval: Self.pause)
    }
  }

  /// Finishes a part, drops the cached rows, and acknowledges the commit to the decider.
  func finish(
    _ part: PreparedPart, of store: AttachedStore, _ preparation: any StorePreparation,
    committing: Bool
  ) throws {
    let reading = store.cache.beginReading()
    defer { store.cache.end(reading) }
    _ = try preparation.finish(part.ticket.id, committing: committing)
    store.saves.remove(part.ticket.id)
    guard committing else { return }
    // Derived attributes may have changed in records that the part does not name.
    store.cache.removeAll()
    coordinator.noteCommit()
    guard let decider = decider(of: part.ticket),
      let participant = try participant(to: part.ticket, in: store)
    else { return }
    let acknowledgement = SaveAcknowledgement(save: part.ticket.id, participant: participant)
    guard participant.isEmpty || !holdsPart(store, of: decider, before: part.ticket.startedAt)
    else { return decider.saves.acknowledge([acknowledgement]) }
    do {
      try decider.store.preparation?.forget([acknowledgement])
    } catch {
      decider.saves.acknowledge([acknowledgement])
    }
  }

  /// Returns the name under which the decider records that a store has finished; nil while other participants that
  /// the decider does not list, stores in memory, have not.
  private func participant(to ticket: SaveTicket, in store: AttachedStore) throws -> String? {
    let identifier = store.identity.identifier
    if ticket.participants.contains(identifier) { return identifier }
    guard ticket.participants.isEmpty else { return nil }
    let isLeft = try coordinator.attachedStores.contains { other in
      try other.store.preparation?.pending().contains { $0.ticket.id == ticket.id } ?? false
    }
    return isLeft ? nil : ""
  }

  // MARK: - All stores

  /// Settles everything that concerns a store that was just added: its own parts, the parts of other stores that it
  /// decides, and its decisions that the others have carried out. What cannot be settled is left for later.
  func storeWasAdded(_ added: AttachedStore) {
    // A single store has no participants and no decider.
    guard coordinator.state.withLock({ $0.list.stores.count }) > 1 else { return }
    settleQuietly(added)
    for other in coordinator.attachedStores where other !== added {
      let waits = (try? other.store.preparation?.pending())?.contains {
        $0.ticket.decider.identifier == added.identity.identifier
      }
      if waits == true { settleQuietly(other) }
    }
    for store in coordinator.attachedStores { try? forgetDecisions(of: store) }
  }

  private func settleQuietly(_ store: AttachedStore) {
    do {
      for part in try settle(store).left {
        store.log.remark(part.inDoubt(in: store.displayName).message)
      }
    } catch {
      store.log.remark("A part of a save over several stores could not be finished: \(error)")
    }
  }

  /// Forgets decisions of a store whose participants are attached and have finished: their coordinators were killed
  /// before they could acknowledge.
  func forgetDecisions(of decider: AttachedStore) throws {
    guard !decider.isReadOnly, let preparation = decider.store.preparation else { return }
    var acknowledged: [SaveAcknowledgement] = []
    var foreign: Set<UUID> = []
    for decision in try preparation.decisions()
    where !coordinator.saveTraffic.isWriting(decision.ticket.id) {
      // The other participants are in-memory stores, which usually end with their process.
      let coordinator = decision.ticket.coordinator
      if decision.unacknowledged.isEmpty, decider.isDurable, !SaveRegistry.needs(coordinator) {
        foreign.insert(coordinator)
      }
      for identifier in decision.unacknowledged {
        guard let participant = attachedStore(identifier),
          !holdsPart(participant, of: decider)
        else { continue }
        acknowledged.append(
          SaveAcknowledgement(save: decision.ticket.id, participant: identifier))
      }
    }
    try preparation.forget(acknowledged)
    // A coordinator that still runs registers again.
    for coordinator in foreign { try preparation.unregister(coordinator) }
  }
}

extension SaveRecovery {
  /// Retries the parts that this coordinator left prepared in a store, before a request to the store runs. A decided
  /// save must be visible; an undecided one is waited for only by saves that write the same records.
  ///
  /// - Throws: `saveInDoubt` when a part of a committed save cannot be written.
  func finishRemainders(of store: AttachedStore) throws {
    do {
      _ = try settle(store)
    } catch {
      let isMissing = store.saves.remainders.values.contains(.decided(committing: true))
      guard isMissing else { return }
      throw PersistenceError(
        .saveInDoubt,
        "The store's part of a save that is committed could not be written yet.",
        store: store.displayName, underlying: error)
    }
  }

  /// Runs a write to stores, and settles the prepared parts that block it.
  ///
  /// - Throws: `saveInDoubt` when one of them cannot be settled now, and what `body` throws.
  func settling<Answer>(
    _ stores: @autoclosure () -> [AttachedStore], _ body: () throws -> Answer
  ) throws -> Answer {
    var known: Deadline?
    var before: Set<SaveID> = []
    while true {
      do {
        return try body()
      } catch let error as PersistenceError where error.code == .saveInDoubt {
        let deadline = known ?? Deadline(after: stores()[0].store.description.timeout)
        known = deadline
        var result = Result()
        for store in stores() {
          let found = try settle(store)
          result.settled += found.settled
          result.left += found.left
        }
        // Others may have finished the blocking part meanwhile: then it is not among the remaining ones.
        let left = Set(result.left.map(\.ticket.id))
        let isSettled = result.settled > 0 || left.isEmpty || left != before
        before = left
        guard isSettled, !deadline.isOver else { throw error }
        // A part that was left alone is about to be finished by another thread of this coordinator.
        if result.settled == 0 { Thread.sleep(forTimeInterval: Self.pause) }
      }
    }
  }
}
