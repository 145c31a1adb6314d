// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Finishes the parts of saves that nobody else finishes, because their coordinators were killed or have lost a store:
/// it asks the decider, and does what that says (X5, X6).
///
/// Nobody can tell a dead coordinator from a slow one. So a save of others is given a moment to go on, and then it is
/// ended by taking its coordinator's registration away: whether it is dead or slow, it cannot decide any more.
struct SaveRecovery {
  let coordinator: PersistentStoreCoordinator

  private static let pause = 0.005

  /// What became of the parts of a store.
  struct Result {
    /// How many were finished, by this call or by others meanwhile.
    var settled = 0
    /// Those whose decider cannot be asked, or does not know.
    var left: [PreparedPart] = []
  }

  /// The store that decides about a save; nil when it is not attached.
  func decider(of ticket: SaveTicket) -> AttachedStore? { attachedStore(ticket.decider.identifier) }

  /// The store with a UUID; nil when it is not attached.
  func attachedStore(_ identifier: String) -> AttachedStore? {
    coordinator.state.withLock { $0.list.store(identifier: identifier) }
  }

  // MARK: - One store

  /// Settles the parts of a store as far as that is possible. Those of saves that this coordinator is writing now are
  /// left alone.
  ///
  /// - Parameter aborting: Whether saves that are not decided are waited for, and ended then.
  /// - Throws: What the store throws when it is asked for its parts, or cannot finish one.
  func settle(_ store: AttachedStore, aborting: Bool = true) throws -> Result {
    var result = Result()
    guard !store.isReadOnly, let preparation = store.store.preparation else { return result }
    let parts = try preparation.pending().filter {
      !coordinator.saveTraffic.isWriting($0.ticket.id)
    }
    // The time of all of them begins now.
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

  /// Asks the decider, and gives a save of others the time to go on.
  ///
  /// - Parameters:
  ///   - isOver: Whether its coordinator is known not to go on with it.
  ///   - aborting: Whether it is waited for, and ended then.
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
        // Once more, so that its coordinator cannot decide any more whatever a person does with it.
        if decision == .forgotten, aborting, !isOver {
          return try decider.decision(on: ticket, for: store, aborting: true)
        }
        // A decider that was opened for reading only ends nothing.
        if decision != .none || isOver || !aborting { return decision }
      } catch {
        // The decider cannot be reached now.
        return .none
      }
      guard try preparation.pending().contains(part) else { return .none }
      Thread.sleep(forTimeInterval: Self.pause)
    }
  }

  /// Finishes a part, and lets everybody know who believes to know the store.
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

  /// Under which name the decider is told that a store has finished; nil while others have not of which it does not
  /// know: stores in memory.
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

  /// Settles what a store that was added just now has to do with: its own parts, those of other stores that it decides
  /// about, and its decisions that the others have carried out. What cannot be settled is left for later.
  func storeWasAdded(_ added: AttachedStore) {
    // A store alone has nobody to ask, and nobody to answer.
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

  /// Forgets the decisions of a store whose participants are attached and have finished: their coordinators were killed
  /// before they could say so.
  func forgetDecisions(of decider: AttachedStore) throws {
    guard !decider.isReadOnly, let preparation = decider.store.preparation else { return }
    var acknowledged: [SaveAcknowledgement] = []
    var foreign: Set<UUID> = []
    for decision in try preparation.decisions()
    where !coordinator.saveTraffic.isWriting(decision.ticket.id) {
      // Its other stores are in the memory of a process, which ends with it, as a rule.
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
    // A coordinator that is not gone registers anew.
    for coordinator in foreign { try preparation.unregister(coordinator) }
  }
}

extension SaveRecovery {
  /// Lets a request of a store through after what this coordinator has left there was tried once more: what is decided
  /// must be shown, what is not decided is waited for by those only who write what it writes.
  ///
  /// - Throws: `saveInDoubt` when a part of a save that has succeeded cannot be written.
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

  /// Runs a write to stores, and settles the parts of saves in whose way it would stand.
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
        // Others may have finished the part meanwhile that stood in the way: then it is none of those that are left.
        let left = Set(result.left.map(\.ticket.id))
        let isSettled = result.settled > 0 || left.isEmpty || left != before
        before = left
        guard isSettled, !deadline.isOver else { throw error }
        // A part that is left alone is one that another thread of this coordinator is about to finish.
        if result.settled == 0 { Thread.sleep(forTimeInterval: Self.pause) }
      }
    }
  }
}
