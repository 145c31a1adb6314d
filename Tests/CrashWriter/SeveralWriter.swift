// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Synchronization

/// Saves to several stores at once, and is killed before or after one of the store calls, including those of the
/// recovery when the stores are opened, and of closing them.
struct SeveralWriter {
  let places: SeveralPlaces
  /// Whether it deliberately saves to one store after the other, as a control: the check must detect it.
  let isTorn: Bool

  /// The number of saves.
  static let saves: Int64 = 3

  /// Opens the stores, saves, closes them, and prints each step.
  ///
  /// - Parameter point: The number of the point, before or after a call, at which the process is killed, counted from
  ///   1; 0 for none.
  func run(killedAt point: Int) throws {
    KillPoint.set(point)
    let container = try places.open(killing: true)
    let coordinator = container.persistentStoreCoordinator
    if isTorn { coordinator.crossStoreSaves = .perStore }
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
  // Sendable: it has no state of its own.

  override func forwarding(to base: any PersistentStore) -> (any PersistentStore)? {
    KilledStore(base)
  }

  override func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    try KillPoint.around { try base.commit(changes) }
  }

  override var preparation: (any StorePreparation)? {
    base.preparation.map(KilledPreparation.init)
  }
}

private struct KilledPreparation: StorePreparation {
  let base: any StorePreparation

  var keepsParts: Bool { base.keepsParts }

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

  func decision(
    on save: SaveTicket, for participant: String, aborting: Bool
  ) throws -> Decision {
    try KillPoint.around {
      try base.decision(on: save, for: participant, aborting: aborting)
    }
  }

  func pending() throws -> [PreparedPart] { try base.pending() }

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
