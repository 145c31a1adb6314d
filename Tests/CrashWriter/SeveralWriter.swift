// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Synchronization

/// Saves to several stores at once, and is killed before or after one of the calls that a store gets for it: also those
/// of the recovery when the stores are opened, and of closing them.
struct SeveralWriter {
  let places: SeveralPlaces
  /// Whether it saves to one store after the other on purpose, so that it is known that the check would find it.
  let isTorn: Bool

  /// How many saves it makes.
  static let saves: Int64 = 3

  /// Opens the stores, saves, closes them, and tells of each step.
  ///
  /// - Parameter point: Before or after which call the process is killed, counted from 1; 0 for none.
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

  /// Before or after a call.
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

/// A store whose process is killed before or after a call that writes or decides.
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
