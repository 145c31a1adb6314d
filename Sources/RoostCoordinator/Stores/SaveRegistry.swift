// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// What a coordinator knows of one of its stores in saves over several: whether it may decide there, of which decisions
/// participants have taken note, and which parts could not be finished.
final class SaveRegistry: Sendable {
  /// Why a part is still prepared that this coordinator has prepared.
  enum Remainder: Sendable, Hashable {
    /// The save is decided; the store could not finish its part.
    case decided(committing: Bool)
    /// Nobody knows how the save ended: the decider could not be asked.
    case undecided
  }

  private struct State {
    var registration: UUID?
    var acknowledged: [SaveAcknowledgement] = []
    var remainders: [SaveID: Remainder] = [:]
    /// Whether the registration is to stay: a store in memory, which the decision does not name, may still ask.
    var isNeeded = false
    /// When the last save began that was to be decided here.
    var lastTime = 0.0
  }

  // Locked by saves over several stores only: not worth memory of its own.
  private let state = Mutex(State())
  /// Whether there are remainders, for requests that only pass.
  private let hasRemainders = Atomic<Bool>(false)

  /// Whether parts are left that this coordinator has prepared.
  var isWaiting: Bool { hasRemainders.load(ordering: .relaxed) }

  /// The parts that are left.
  var remainders: [SaveID: Remainder] { state.withLock { $0.remainders } }

  func add(_ remainder: Remainder, of save: SaveID) { change { $0[save] = remainder } }

  func remove(_ save: SaveID) { change { $0[save] = nil } }

  private func change(_ body: (inout [SaveID: Remainder]) -> Void) {
    state.withLock { state in
      body(&state.remainders)
      // Under the lock: who removes the last one must not hide one that comes just then.
      hasRemainders.store(!state.remainders.isEmpty, ordering: .relaxed)
    }
  }

  // MARK: - Deciding

  /// The number under which the coordinator may decide in the store: a new one when it has none.
  func registration(in preparation: any StorePreparation) throws -> UUID {
    if let known = state.withLock({ $0.registration }) { return known }
    let number = UUID()
    try preparation.register(number)
    state.withLock { $0.registration = number }
    Self.inUse.withLock { _ = $0.insert(number) }
    return number
  }

  deinit {
    if let number = state.withLock({ $0.registration }) { Self.isOver(number) }
  }

  private static func isOver(_ number: UUID) { inUse.withLock { _ = $0.remove(number) } }

  /// When a save begins: later than the one before it, whatever the clock says.
  func timeOfNextSave() -> Double {
    let now = Date.now.timeIntervalSinceReferenceDate
    return state.withLock { state in
      state.lastTime = max(now, state.lastTime.nextUp)
      return state.lastTime
    }
  }

  /// The registrations of this process by which its coordinators save.
  private static let inUse = SharedState<Set<UUID>>([])

  /// The registrations of this process that stay after their stores were closed.
  private static let needed = SharedState<Set<UUID>>([])

  /// Keeps the registration when the store is closed.
  func keepRegistration() {
    let number = state.withLock { state in
      state.isNeeded = true
      return state.registration
    }
    if let number { Self.needed.withLock { _ = $0.insert(number) } }
  }

  /// Whether a registration is that of a coordinator of this process, or is needed by a store in memory.
  static func needs(_ registration: UUID) -> Bool {
    inUse.withLock { $0.contains(registration) } || needed.withLock { $0.contains(registration) }
  }

  /// Forgets a number that another process has taken away.
  func registrationIsGone(_ number: UUID) {
    state.withLock { if $0.registration == number { $0.registration = nil } }
    Self.isOver(number)
  }

  /// Notes that participants have finished; the store is told with the next decision.
  func acknowledge(_ acknowledgements: [SaveAcknowledgement]) {
    state.withLock { $0.acknowledged += acknowledgements }
  }

  /// What the store is to be told.
  var acknowledged: [SaveAcknowledgement] { state.withLock { $0.acknowledged } }

  /// Forgets what the store was told.
  func wereTold(_ acknowledgements: [SaveAcknowledgement]) {
    let told = Set(acknowledgements)
    state.withLock { $0.acknowledged.removeAll(where: told.contains) }
  }

  /// Takes back that a participant has finished: what is true of it is found out when it is opened the next time.
  func withdraw(_ participant: String) {
    state.withLock { $0.acknowledged.removeAll { $0.participant == participant } }
  }

  /// Tells the store what is left to tell, and takes the registration away: the store is about to be closed. What
  /// is not told is found out when the stores are opened the next time.
  func end(in store: any PersistentStore, telling acknowledged: [SaveAcknowledgement]) {
    let (number, isNeeded) = state.withLock { state in
      defer { (state.registration, state.acknowledged) = (nil, []) }
      return (state.registration, state.isNeeded)
    }
    if let number { Self.isOver(number) }
    guard let preparation = store.preparation else { return }
    try? preparation.forget(acknowledged)
    if let number, !isNeeded { try? preparation.unregister(number) }
  }
}
