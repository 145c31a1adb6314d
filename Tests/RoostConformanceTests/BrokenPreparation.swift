// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// The two-phase commit of a ``BrokenStore``.
final class BrokenPreparation: StorePreparation {
  private let base: any StorePreparation
  private let defect: StoreDefect
  /// The receipts of parts that became visible when they were prepared.
  private let shown = Mutex<[SaveID: CommitReceipt]>([:])

  init(base: any StorePreparation, defect: StoreDefect) {
    self.base = base
    self.defect = defect
  }

  var keepsParts: Bool { base.keepsParts }
  func canPrepare() throws -> Bool { try base.canPrepare() }
  func requirePreparing() throws { try base.requirePreparing() }

  func prepare(
    _ changes: StoreChangeSet, for save: SaveTicket
  ) throws -> PreparationOutcome {
    do {
      let outcome = try base.prepare(changes, for: save)
      guard defect == .showsParts, case .prepared = outcome,
        let receipt = try base.finish(save.id, committing: true)
      else { return outcome }
      shown.withLock { $0[save.id] = receipt }
      return .prepared(receipt)
    } catch let error as PersistenceError
      where error.code == .saveInDoubt && defect == .acceptsTakenKeys
    {
      return .prepared(CommitReceipt())
    }
  }

  func finish(_ save: SaveID, committing: Bool) throws -> CommitReceipt? {
    if defect == .showsParts, let receipt = shown.withLock({ $0.removeValue(forKey: save) }) {
      return committing ? receipt : nil
    }
    return try base.finish(save, committing: committing || defect == .commitsAborted)
  }

  func decide(
    _ changes: StoreChangeSet, for save: SaveTicket, forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> DecisionOutcome {
    var ticket = save
    if defect == .forgetsDecisions {
      // Without participants, no decision is stored.
      ticket = SaveTicket(
        id: save.id, coordinator: save.coordinator, decider: save.decider, participants: [],
        startedAt: save.startedAt)
    }
    let outcome = try base.decide(changes, for: ticket, forgetting: acknowledged)
    guard defect == .decidesForAnyone, case .refused = outcome else { return outcome }
    // Decides again for a newly registered coordinator, as if no other process had been able to revoke the first one.
    let other = UUID()
    try base.register(other)
    ticket = SaveTicket(
      id: save.id, coordinator: other, decider: save.decider, participants: save.participants,
      startedAt: save.startedAt)
    return try base.decide(changes, for: ticket, forgetting: acknowledged)
  }

  func transactionDomain() throws -> String? { try base.transactionDomain() }

  func decide(
    _ changes: StoreChangeSet, with companions: [JointPart], for save: SaveTicket,
    forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> JointOutcome {
    guard companions.isEmpty else {
      // The store knows its own kind only.
      let parts = companions.map { part in
        let companion = (part.preparation as? BrokenPreparation)?.base ?? part.preparation
        return JointPart(preparation: companion, changes: part.changes)
      }
      return try base.decide(changes, with: parts, for: save, forgetting: acknowledged)
    }
    return switch try decide(changes, for: save, forgetting: acknowledged) {
    case .committed(let receipt): .committed([receipt])
    case .conflicted(let conflicts): .conflicted(part: 0, conflicts)
    case .refused: .refused
    }
  }

  func decision(
    on save: SaveTicket, for participant: String, aborting: Bool
  ) throws -> Decision {
    try base.decision(
      on: save, for: participant, aborting: aborting && defect != .asksWithoutEnding)
  }

  func pending() throws -> [PreparedPart] { try base.pending() }
  func visibleParts() throws -> [PreparedPart] { try base.visibleParts() }
  func register(_ coordinator: UUID) throws { try base.register(coordinator) }
  func unregister(_ coordinator: UUID) throws { try base.unregister(coordinator) }
  func forget(_ acknowledged: [SaveAcknowledgement]) throws { try base.forget(acknowledged) }
  func decisions() throws -> [RememberedDecision] { try base.decisions() }
}

extension StoreDefect {
  /// Whether the defect has an effect on saves over several stores.
  var isOfSaves: Bool { findingCase != nil }

  /// The case that finds a defect of saves over several stores; nil for other defects.
  var findingCase: String? {
    switch self {
    case .forgetsDecisions: "severalStores.atomic.reopened"
    case .commitsAborted: "severalStores.atomic.failure"
    case .showsParts: "severalStores.atomic.undecided-is-not-read"
    case .acceptsTakenKeys: "severalStores.atomic.second-part"
    case .losesParts, .letsWritersPast: "severalStores.atomic.alone"
    case .decidesForAnyone, .asksWithoutEnding: "severalStores.atomic.overlapping"
    default: nil
    }
  }
}
