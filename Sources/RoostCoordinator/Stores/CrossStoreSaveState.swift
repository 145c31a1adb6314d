// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// The shared state of a coordinator's saves over several stores.
package final class CrossStoreSaveState: Sendable {
  private struct State {
    var policy = CrossStoreSaves.atomic
    var reads = ReadsAcrossStores.eachStore
    var underWay: Set<SaveID> = []
    var seen: [SaveID: ContinuousClock.Instant] = [:]
    /// The grace period of undecided saves by other coordinators, and until when it holds.
    var patience = CrossStoreSaveState.firstPatience
    var patienceEnds = ContinuousClock.now
  }

  private static let firstPatience = Duration.milliseconds(250)
  private static let longestPatience = Duration.seconds(300)
  /// How many first sights are kept before old ones are dropped.
  private static let mostSights = 1_024

  /// The coordinator whose read of several stores the current thread performs.
  @TaskLocal private static var reader: ObjectIdentifier?

  private let state = Mutex(State())
  /// Shared by reads of several stores, and closed while a save over several stores becomes visible in them (X20).
  let visibility = CommitGate()

  /// How saves over several stores are committed.
  package var policy: CrossStoreSaves {
    get { state.withLock { $0.policy } }
    set { state.withLock { $0.policy = newValue } }
  }

  /// How reads of several stores see saves of other coordinators.
  package var reads: ReadsAcrossStores {
    get { state.withLock { $0.reads } }
    set { state.withLock { $0.reads = newValue } }
  }

  /// Runs a read of several stores while no save over several stores of this coordinator becomes visible (X20).
  ///
  /// A nested read does not enter the gate itself: a save that waits for the outer read would deadlock with it.
  ///
  /// - Throws: `userCancelled`, or what `body` throws.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    let own = ObjectIdentifier(self)
    guard Self.reader != own else { return try body() }
    return try visibility.sharing(RequestScope.cancellation) {
      try Self.$reader.holding(own, body)
    }
  }

  /// Whether this coordinator is writing the save now.
  func isWriting(_ save: SaveID) -> Bool {
    state.withLock { $0.underWay.contains(save) }
  }

  /// Returns the time when this coordinator first saw a part of a save by another one.
  func firstSight(of save: SaveID) -> ContinuousClock.Instant {
    let now = ContinuousClock.now
    return state.withLock { state in
      if let known = state.seen[save] { return known }
      // Old entries are dropped; a save that still exists is recorded again.
      if state.seen.count >= Self.mostSights {
        state.seen = state.seen.filter { now - $0.value < .seconds(60) }
      }
      state.seen[save] = now
      return now
    }
  }

  /// The grace period of an undecided save by another coordinator, counted from when this coordinator first saw it:
  /// its start time comes from the clock of another machine. Each aborted save doubles the period for a while, so
  /// that a large save that is retried can complete.
  var patience: Duration {
    state.withLock { ContinuousClock.now < $0.patienceEnds ? $0.patience : Self.firstPatience }
  }

  /// Notes that an undecided save of another coordinator was aborted, and doubles the grace period.
  func othersWereEnded() {
    let now = patience
    state.withLock { state in
      state.patience = min(now * 2, Self.longestPatience)
      state.patienceEnds = .now + max(.seconds(120), state.patience * 2)
    }
  }

  /// Runs a save whose parts no other thread of this coordinator may settle meanwhile.
  func writing<Result>(_ save: SaveID, _ body: () throws -> Result) rethrows -> Result {
    state.withLock { _ = $0.underWay.insert(save) }
    defer { state.withLock { _ = $0.underWay.remove(save) } }
    return try body()
  }
}
