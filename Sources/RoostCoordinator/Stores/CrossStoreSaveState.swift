// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// The shared state of a coordinator's saves over several stores.
package final class CrossStoreSaveState: Sendable {
  private struct State {
    var policy = CrossStoreSaves.atomic
    var reads = ReadsAcrossStores.eachStore
    var underWay: Set<SaveID> = []
    var seen: [SaveID: Sight] = [:]
    /// The grace period of undecided saves by other coordinators, since when and until when it holds.
    var patience = CrossStoreSaveState.firstPatience
    var patienceBegan = ContinuousClock.now
    var patienceEnds = ContinuousClock.now
  }

  /// When a save of another coordinator was first seen, and when its grace period ends.
  private struct Sight {
    let first: ContinuousClock.Instant
    let end: ContinuousClock.Instant
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

  /// Whether the current thread performs a read of several stores.
  var isReading: Bool { Self.reader == ObjectIdentifier(self) }

  /// Whether this coordinator is writing the save now.
  func isWriting(_ save: SaveID) -> Bool {
    state.withLock { $0.underWay.contains(save) }
  }

  /// Returns the time when this coordinator first saw a part of a save by another one.
  func firstSight(of save: SaveID) -> ContinuousClock.Instant { sight(of: save).first }

  /// Returns when the grace period of an undecided save by another coordinator ends. It is counted from when this
  /// coordinator first saw the save, because the start time comes from the clock of another machine.
  ///
  /// The period doubles for a while when a save was aborted, so that a large save that is retried can complete. That
  /// concerns saves that are seen later: those that were seen together are waited for together.
  func graceEnds(for save: SaveID) -> ContinuousClock.Instant { sight(of: save).end }

  /// Whether a save by another coordinator was first seen so long ago that it has written its parts, if it is decided.
  func isOverdue(_ save: SaveID) -> Bool {
    ContinuousClock.now > firstSight(of: save) + Self.firstPatience
  }

  private func sight(of save: SaveID) -> Sight {
    let now = ContinuousClock.now
    return state.withLock { state in
      if let known = state.seen[save] { return known }
      // Old entries are dropped; a save that still exists is recorded again.
      if state.seen.count >= Self.mostSights {
        state.seen = state.seen.filter { now - $0.value.end < .seconds(60) }
      }
      let patience = now < state.patienceEnds ? state.patience : Self.firstPatience
      let sight = Sight(first: now, end: now + patience)
      state.seen[save] = sight
      return sight
    }
  }

  /// Notes that an undecided save of another coordinator, which may be alive, was aborted, and doubles the grace
  /// period of saves that are seen later, once for those that were seen together.
  func wasEnded(_ save: SaveID) {
    let sight = sight(of: save)
    state.withLock { state in
      let now = ContinuousClock.now
      let isKnown = now < state.patienceEnds
      guard !isKnown || sight.first >= state.patienceBegan else { return }
      state.patience = min(
        (isKnown ? state.patience : Self.firstPatience) * 2, Self.longestPatience)
      state.patienceBegan = now
      state.patienceEnds = now + max(.seconds(120), state.patience * 2)
    }
  }

  /// Runs a save whose parts no other thread of this coordinator may settle meanwhile.
  func writing<Result>(_ save: SaveID, _ body: () throws -> Result) rethrows -> Result {
    state.withLock { _ = $0.underWay.insert(save) }
    defer { state.withLock { _ = $0.underWay.remove(save) } }
    return try body()
  }
}
