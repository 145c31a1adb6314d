// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Synchronization

/// Saves to several stores at once, and is killed before or after one of the store calls, including those of the
/// recovery when the stores are opened, and of closing them.
struct SeveralWriter {
  let places: SeveralPlaces
  /// A deliberate defect, as a control: the check must detect it.
  let defect: SeveralDefect?

  /// The number of saves.
  static let saves: Int64 = 3

  /// Opens the stores, saves, closes them, and prints each step.
  ///
  /// - Parameter point: The number of the point, before or after a call, at which the process is killed, counted from
  ///   1; 0 for none.
  func run(killedAt point: Int) throws {
    KillPoint.set(point)
    let container = try places.open(killing: true, defect: defect)
    let coordinator = container.persistentStoreCoordinator
    if defect == .torn { coordinator.crossStoreSaves = .perStore }
    let ledger = SeveralLedger(container: container, places: places)
    var last = try ledger.prepare()
    Terminal.say("ready \(last)")
    for _ in 0..<Self.saves {
      last += 1
      try ledger.save(last)
      Terminal.say("\(last)")
    }
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    Terminal.say("done \(KillPoint.count)")
  }
}

/// A way in which a writer deliberately saves wrongly.
enum SeveralDefect: String {
  /// It saves to one store after the other.
  case torn
  /// It writes stores of one database in transactions of their own, although one of them decides for all.
  case apart
}

/// Counts the calls of stores, and kills the process at one of them.
enum KillPoint {
  private static let state = Mutex((count: 0, point: 0))

  static var count: Int { state.withLock { $0.count } }

  static func set(_ point: Int) {
    state.withLock { $0 = (0, point) }
  }

  /// Kills the process at the chosen point; called before and after each store call.
  static func pass() {
    let isReached = state.withLock { state in
      state.count += 1
      return state.count == state.point
    }
    if isReached { kill(getpid(), SIGKILL) }
  }

  static func around<Result>(_ body: () throws -> Result) rethrows -> Result {
    pass()
    defer { pass() }
    return try body()
  }
}

/// A store that kills its process before or after a call that writes or decides.
final class KilledStore: ForwardingStore, @unchecked Sendable {
  // Sendable: its state is constant.

  /// Whether the store tells with which others one transaction can write it.
  private let isJoint: Bool
  private let defect: SeveralDefect?

  init(_ base: any PersistentStore, isJoint: Bool, defect: SeveralDefect?) {
    (self.isJoint, self.defect) = (isJoint, defect)
    super.init(base)
  }

  override func forwarding(to base: any PersistentStore) -> (any PersistentStore)? {
    KilledStore(base, isJoint: isJoint, defect: defect)
  }

  override func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    try KillPoint.around { try base.commit(changes) }
  }

  override var preparation: (any StorePreparation)? {
    base.preparation.map { KilledPreparation(base: $0, isJoint: isJoint, defect: defect) }
  }
}

private struct KilledPreparation: StorePreparation {
  let base: any StorePreparation
  let isJoint: Bool
  let defect: SeveralDefect?

  var keepsParts: Bool { base.keepsParts }
  func canPrepare() throws -> Bool { try base.canPrepare() }
  func requirePreparing() throws { try base.requirePreparing() }
  func transactionDomain() throws -> String? { isJoint ? try base.transactionDomain() : nil }

  func prepare(
    _ changes: StoreChangeSet, for save: SaveTicket
  ) throws -> PreparationOutcome {
    try KillPoint.around { try base.prepare(changes, for: save) }
  }

  func finish(_ save: SaveID, committing: Bool) throws -> CommitReceipt? {
    try KillPoint.around { try base.finish(save, committing: committing) }
  }

  func decide(
    _ changes: StoreChangeSet, for save: SaveTicket, forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> DecisionOutcome {
    try KillPoint.around { try base.decide(changes, for: save, forgetting: acknowledged) }
  }

  func decide(
    _ changes: StoreChangeSet, with companions: [JointPart], for save: SaveTicket,
    forgetting acknowledged: [SaveAcknowledgement]
  ) throws -> JointOutcome {
    // The store knows its own kind only.
    let parts = companions.map { part in
      let companion = (part.preparation as? KilledPreparation)?.base ?? part.preparation
      return JointPart(preparation: companion, changes: part.changes)
    }
    guard defect == .apart, !parts.isEmpty else {
      return try KillPoint.around {
        try base.decide(changes, with: parts, for: save, forgetting: acknowledged)
      }
    }
    return try decideApart([(base, changes)] + parts.map { ($0.preparation, $0.changes) }, save)
  }

  /// Writes each part in a transaction of its own.
  private func decideApart(
    _ parts: [(any StorePreparation, StoreChangeSet)], _ save: SaveTicket
  ) throws -> JointOutcome {
    var receipts: [CommitReceipt] = []
    for (number, (preparation, changes)) in parts.enumerated() {
      let ticket = SaveTicket(
        id: save.id, coordinator: UUID(), decider: save.decider, participants: save.participants,
        startedAt: save.startedAt)
      try preparation.register(ticket.coordinator)
      defer { try? preparation.unregister(ticket.coordinator) }
      switch try KillPoint.around({ try preparation.decide(changes, for: ticket, forgetting: []) })
      {
      case .committed(let receipt): receipts.append(receipt)
      case .conflicted(let conflicts): return .conflicted(part: number, conflicts)
      case .refused: return .refused
      }
    }
    return .committed(receipts)
  }

  func decision(
    on save: SaveTicket, for participant: String, aborting: Bool
  ) throws -> Decision {
    try KillPoint.around {
      try base.decision(on: save, for: participant, aborting: aborting)
    }
  }

  func pending() throws -> [PreparedPart] { try base.pending() }
  func visibleParts() throws -> [PreparedPart] { try base.visibleParts() }

  func register(_ coordinator: UUID) throws {
    try KillPoint.around { try base.register(coordinator) }
  }

  func unregister(_ coordinator: UUID) throws {
    try KillPoint.around { try base.unregister(coordinator) }
  }

  func forget(_ acknowledged: [SaveAcknowledgement]) throws {
    guard !acknowledged.isEmpty else { return }
    try KillPoint.around { try base.forget(acknowledged) }
  }

  func decisions() throws -> [RememberedDecision] { try base.decisions() }
}
