// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Finishes prepared parts of saves that their coordinators left behind, because they were killed or have lost a
/// store: it asks the decider for the outcome, and commits or aborts accordingly (X5, X6).
///
/// An undecided part is not visible, and hinders only writes that conflict with it. So only these end it, after a grace
/// period, and others when its coordinator is taken for dead (``isAbandoned(_:)``). It is aborted by removing the
/// coordinator's registration: whether dead or slow, it can no longer decide.
struct SaveRecovery {
  let coordinator: PersistentStoreCoordinator

  static let pause = 0.005
  /// How long opening a store, and listing the saves in doubt, wait altogether for coordinators that may be alive.
  static var longestLook: Deadline { Deadline(after: 4) }

  /// The outcome of settling the prepared parts of a store.
  struct Result {
    /// The number of finished parts, by this call or by others meanwhile.
    var settled = 0
    /// The parts whose decider cannot be asked, or does not know the outcome.
    var left: [PreparedPart] = []
    /// The parts of saves that are not decided yet, and are not to be ended.
    var undecided: [PreparedPart] = []
    /// The parts that could not be finished, and why. One of them does not keep the others waiting.
    var failed: [(part: PreparedPart, error: PersistenceError)] = []
  }

  /// Which undecided saves of other coordinators are ended while parts are settled.
  enum EndedSaves {
    case none
    /// Saves of coordinators that are taken for dead.
    case abandoned
    /// All of them, after the grace period.
    case all
  }

  /// The state of a part after it was settled.
  enum PartState {
    case finished
    /// Its save is not decided yet.
    case undecided
    /// The decider cannot be asked, or does not know the outcome.
    case inDoubt
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
  /// - Parameters:
  ///   - ending: Which undecided saves are waited for, and then aborted.
  ///   - deadline: Until when those are waited for whose coordinators may be alive.
  /// - Throws: Errors of the store while listing its parts, and `userCancelled`.
  func settle(
    _ store: AttachedStore, ending: EndedSaves, until deadline: Deadline
  ) throws -> Result {
    var result = Result()
    guard !store.isReadOnly else { return result }
    let remainders = store.saves.remainders
    let pending = try store.store.preparation?.pending() ?? []
    noteEnded(store.saves.remove(remainders, besides: Set(pending.map(\.ticket.id))), in: store)
    guard let preparation = store.store.preparation else { return result }
    let parts = pending.filter { !coordinator.saveTraffic.isWriting($0.ticket.id) }
    // The grace period of all of them begins now.
    for part in parts { _ = coordinator.saveTraffic.firstSight(of: part.ticket.id) }
    for part in parts {
      do {
        switch try settle(part, of: store, preparation, ending: ending, until: deadline) {
        case .finished: result.settled += 1
        case .undecided: result.undecided.append(part)
        case .inDoubt: result.left.append(part)
        }
      } catch let error as PersistenceError where error.code == .userCancelled {
        throw error
      } catch {
        result.failed.append((part, .wrapping(error, .persistentStoreSave)))
      }
    }
    return result
  }

  func settle(
    _ part: PreparedPart, of store: AttachedStore, _ preparation: any StorePreparation,
    ending: EndedSaves, until deadline: Deadline
  ) throws -> PartState {
    let decision: Decision?
    let remainder = store.saves.remainders[part.ticket.id]
    if remainder?.isCommitted == true {
      decision = .committed
    } else if remainder == .decided(committing: false) {
      decision = .aborted
    } else {
      let isEnded =
        switch ending {
        case .all: true
        case .abandoned: remainder != nil || isAbandoned(part.ticket)
        case .none: remainder != nil
        }
      decision = try self.decision(
        on: part, of: store.identity.identifier, preparation, isOver: remainder != nil,
        aborting: isEnded, until: deadline)
    }
    switch decision {
    case .some(.none): return .undecided
    // Others may have finished the part meanwhile, and then nobody remembers the decision.
    case nil, .forgotten: return try preparation.pending().contains(part) ? .inDoubt : .finished
    case .committed: try commit(part, of: store, preparation)
    case .aborted: try finish(part, of: store, preparation, committing: false)
    }
    return .finished
  }

  /// Asks the decider for the outcome, and gives a save of another coordinator its grace period.
  ///
  /// - Parameters:
  ///   - isOver: Whether the save's coordinator is known to have given up. One whose process has ended is not waited
  ///     for either.
  ///   - aborting: Whether to wait for the decision, and then abort.
  ///   - waitLimit: Until when to wait.
  /// - Returns: `none` for a save that is not decided and not aborted; nil when the part was finished by others, or the
  ///   decider cannot be asked.
  func decision(
    on part: PreparedPart, of store: String, _ preparation: any StorePreparation,
    isOver: Bool = false, aborting: Bool = true, until waitLimit: Deadline
  ) throws -> Decision? {
    let ticket = part.ticket
    guard let decider = decider(of: ticket)?.store.preparation else { return nil }
    let deadline = coordinator.saveTraffic.graceEnds(for: ticket.id)
    while true {
      let isKnown = isOver || aborting && CoordinatorName.hasEnded(ticket.coordinator)
      let isOver = aborting && (isKnown || ContinuousClock.now > deadline)
      do {
        let decision = try decider.decision(on: ticket, for: store, aborting: isOver)
        if decision == .aborted, isOver, !isKnown { coordinator.saveTraffic.wasEnded(ticket.id) }
        // Asked again with `aborting`, so that the coordinator can no longer decide, even if the save is then ended
        // by hand.
        if decision == .forgotten, aborting, !isOver {
          return try decider.decision(on: ticket, for: store, aborting: true)
        }
        // A decider that was opened read-only aborts nothing: nobody here can end the save.
        if isOver, decision == .none { return nil }
        if decision != .none || !aborting { return decision }
      } catch {
        // The decider cannot be reached now.
        return nil
      }
      guard try preparation.pending().contains(part) else { return nil }
      guard !waitLimit.isOver else { return Decision.none }
      try RequestScope.cancellation?.check()
      Thread.sleep(forTimeInterval: Self.pause)
    }
  }

  /// Writes a part of a save that is known to be committed. If that fails, requests to the store try it again first,
  /// and throw while it fails: reads would show one store with the save and another without (X4).
  func commit(
    _ part: PreparedPart, of store: AttachedStore, _ preparation: any StorePreparation
  ) throws {
    do {
      try finish(part, of: store, preparation, committing: true)
    } catch {
      let failure = PersistenceError.wrapping(error, .persistentStoreSave)
      store.saves.couldNotCommit(part.ticket.id, failure)
      throw failure
    }
  }

  /// Removes a part of a committed save that the store can never write.
  func giveUp(
    _ part: PreparedPart, of store: AttachedStore, _ preparation: any StorePreparation
  ) throws {
    _ = try preparation.finish(part.ticket.id, committing: false)
    store.saves.remove(part.ticket.id)
    // The decider need not remember the decision for this store any longer.
    try acknowledge(part, of: store)
  }

  /// Finishes a part, drops the cached rows, and acknowledges the commit to the decider.
  func finish(
    _ part: PreparedPart, of store: AttachedStore, _ preparation: any StorePreparation,
    committing: Bool
  ) throws {
    let reading = store.cache.beginReading()
    defer { store.cache.end(reading) }
    let isOwn = store.saves.remainders[part.ticket.id]?.isUntold == true
    _ = try preparation.finish(part.ticket.id, committing: committing)
    store.saves.remove(part.ticket.id)
    guard committing else { return }
    // Derived attributes may have changed in records that the part does not name.
    store.cache.removeAll()
    coordinator.noteCommit()
    if isOwn { coordinator.announceLateCommit() }
    try acknowledge(part, of: store)
  }

  private func acknowledge(_ part: PreparedPart, of store: AttachedStore) throws {
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
    let deadline = Self.longestLook
    settleQuietly(added, until: deadline)
    for other in coordinator.attachedStores where other !== added {
      let waits = (try? other.store.preparation?.pending())?.contains {
        $0.ticket.decider.identifier == added.identity.identifier
      }
      if waits == true { settleQuietly(other, until: deadline) }
    }
    for store in coordinator.attachedStores { try? forgetDecisions(of: store) }
  }

  private func settleQuietly(_ store: AttachedStore, until deadline: Deadline) {
    do {
      let result = try settle(store, ending: .abandoned, until: deadline)
      for part in result.left { store.log.remark(part.inDoubt(in: store.displayName).message) }
      for (_, error) in result.failed {
        store.log.remark("A part of a save over several stores could not be finished: \(error)")
      }
    } catch {
      store.log.remark("The parts of saves over several stores could not be listed: \(error)")
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
          !holdsPart(participant, of: decider), hasFinished(participant, decision.ticket)
        else { continue }
        acknowledged.append(
          SaveAcknowledgement(save: decision.ticket.id, participant: identifier))
      }
    }
    try preparation.forget(acknowledged)
    // A coordinator that still runs registers again.
    for coordinator in foreign { try preparation.unregister(coordinator) }
  }

  /// Whether a store has durably finished its part of a committed save. That it can be read is not enough: a process
  /// that was killed may not have flushed it, and a loss of power would bring back a part whose decision is forgotten.
  private func hasFinished(_ store: AttachedStore, _ ticket: SaveTicket) -> Bool {
    guard let preparation = store.store.preparation else { return false }
    do {
      _ = try preparation.finish(ticket.id, committing: true)
      return true
    } catch {
      // Another program acknowledges it, or this one later.
      return false
    }
  }
}
