// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// A coordinator's state for one store in saves over several stores: its registration as a decider, the
/// acknowledgements to forward, and the parts that could not be finished.
final class SaveRegistry: Sendable {
  /// The reason why a part that this coordinator has prepared is still prepared.
  enum Remainder: Sendable, Hashable {
    /// The save is decided; the store could not finish its part.
    case decided(committing: Bool)
    /// The outcome is unknown: the decider could not be asked, or the answer of the store was lost, which then has no
    /// prepared part.
    case undecided
    /// The save is committed, which was unknown when it ended: observers are told once the part is finished.
    case untold

    /// Whether the part belongs to a save that is known to be committed.
    var isCommitted: Bool { self == .decided(committing: true) || self == .untold }
    /// Whether the save ended with an unknown outcome, so that observers do not know of it yet.
    var isUntold: Bool { self == .undecided || self == .untold }
  }

  private struct State {
    var registration: UUID?
    var acknowledged: [SaveAcknowledgement] = []
    var remainders: [SaveID: Remainder] = [:]
    /// The errors of parts of committed saves that the store could not write.
    var failures: [SaveID: PersistenceError] = [:]
    /// When a read of several stores checks the store for parts of others again.
    var nextLook = ContinuousClock.now + SaveRegistry.timeBetweenLooks
    /// Whether the registration must stay: an in-memory participant, which the decision does not name, may still ask.
    var isNeeded = false
    /// The start time of the last save decided in this store.
    var lastTime = 0.0
  }

  // Locked by saves over several stores only, so it needs no allocation of its own.
  private let state = Mutex(State())
  /// Whether there are remainders, for the fast path of requests.
  private let hasRemainders = Atomic<Bool>(false)

  /// Whether parts that this coordinator has prepared are left.
  var isWaiting: Bool { hasRemainders.load(ordering: .relaxed) }

  /// The parts that are left.
  var remainders: [SaveID: Remainder] { state.withLock { $0.remainders } }

  func add(_ remainder: Remainder, of save: SaveID) { change { $0[save] = remainder } }

  /// Notes that the store could not write its part of a committed save: until it has, it shows the state before.
  func couldNotCommit(_ save: SaveID, _ error: PersistenceError) {
    change { remainders in
      let isUntold = remainders[save]?.isUntold == true
      remainders[save] = isUntold ? .untold : .decided(committing: true)
    }
    state.withLock { if $0.remainders[save] != nil { $0.failures[save] = error } }
  }

  /// Whether the store's part of a committed save can never be written, as far as the store knows.
  func isDamaged(_ save: SaveID) -> Bool {
    state.withLock { $0.failures[save]?.code == .corruptStore }
  }

  func remove(_ save: SaveID) { change { $0[save] = nil } }

  /// Drops parts that another process has finished.
  ///
  /// - Parameters:
  ///   - known: The remainders before the store was asked which parts are prepared.
  ///   - pending: The saves whose parts are prepared.
  /// - Returns: The remainders that were dropped, each to one caller.
  func remove(_ known: [SaveID: Remainder], besides pending: Set<SaveID>) -> [Remainder] {
    let gone = known.keys.filter { !pending.contains($0) }
    guard !gone.isEmpty else { return [] }
    return change { remainders in gone.compactMap { remainders.removeValue(forKey: $0) } }
  }

  private func change<Result>(_ body: (inout [SaveID: Remainder]) -> Result) -> Result {
    state.withLock { state in
      // Under the lock: removing the last remainder must not hide one that is added concurrently.
      defer {
        hasRemainders.store(!state.remainders.isEmpty, ordering: .relaxed)
        if !state.failures.isEmpty {
          state.failures = state.failures.filter { state.remainders[$0.key] != nil }
        }
      }
      return body(&state.remainders)
    }
  }

  // MARK: - Looking

  private static let timeBetweenLooks = Duration.seconds(1)

  /// Returns whether it is time to check the store for parts that others have left; true for one caller a second.
  func takeLook() -> Bool {
    let now = ContinuousClock.now
    return state.withLock { state in
      guard now >= state.nextLook else { return false }
      state.nextLook = now + Self.timeBetweenLooks
      return true
    }
  }

  /// Checks the store again sooner than usual.
  func planLook(after pause: Duration) {
    state.withLock { $0.nextLook = ContinuousClock.now + pause }
  }

  // MARK: - Deciding

  /// Returns the registration under which the coordinator may decide in the store, registering it if necessary.
  func registration(in preparation: any StorePreparation) throws -> UUID {
    if let known = state.withLock({ $0.registration }) { return known }
    let number = CoordinatorName.make()
    try preparation.register(number)
    state.withLock { $0.registration = number }
    Self.inUse.withLock { _ = $0.insert(number) }
    return number
  }

  deinit {
    if let number = state.withLock({ $0.registration }) { Self.isOver(number) }
  }

  private static func isOver(_ number: UUID) { inUse.withLock { _ = $0.remove(number) } }

  /// Returns the start time of a save: later than that of the one before it, whatever the clock says.
  func timeOfNextSave() -> Double {
    let now = Date.now.timeIntervalSinceReferenceDate
    return state.withLock { state in
      state.lastTime = max(now, state.lastTime.nextUp)
      return state.lastTime
    }
  }

  /// The registrations that coordinators of this process use.
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

  /// Whether a registration is that of a coordinator of this process.
  static func isUsed(_ registration: UUID) -> Bool { inUse.withLock { $0.contains(registration) } }

  /// Whether a registration is that of a coordinator of this process, or is needed by a store in memory.
  static func needs(_ registration: UUID) -> Bool {
    inUse.withLock { $0.contains(registration) } || needed.withLock { $0.contains(registration) }
  }

  /// Forgets a registration that another process has removed.
  func registrationIsGone(_ number: UUID) {
    state.withLock { if $0.registration == number { $0.registration = nil } }
    Self.isOver(number)
  }

  /// Notes that participants have finished; the next decision records it in the store.
  func acknowledge(_ acknowledgements: [SaveAcknowledgement]) {
    state.withLock { $0.acknowledged += acknowledgements }
  }

  /// The acknowledgements to record in the store.
  var acknowledged: [SaveAcknowledgement] { state.withLock { $0.acknowledged } }

  /// Drops acknowledgements that were recorded in the store.
  func wereTold(_ acknowledgements: [SaveAcknowledgement]) {
    let told = Set(acknowledgements)
    state.withLock { $0.acknowledged.removeAll(where: told.contains) }
  }

  /// Withdraws the acknowledgements of a participant: its state is determined when it is opened the next time.
  func withdraw(_ participant: String) {
    state.withLock { $0.acknowledged.removeAll { $0.participant == participant } }
  }

  /// Records the remaining acknowledgements in the store, and removes the registration, before the store is closed.
  /// Anything not recorded is determined when the stores are opened the next time.
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
