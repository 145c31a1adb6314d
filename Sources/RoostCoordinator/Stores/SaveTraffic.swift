// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// The state that saves of one coordinator over several stores share.
package final class SaveTraffic: Sendable {
  private struct State {
    var policy = CrossStoreSaves.atomic
    var reads = ReadsAcrossStores.eachStore
    var underWay: Set<SaveID> = []
    var seen: [SaveID: ContinuousClock.Instant] = [:]
    /// How long saves of others may go on that are not decided, and until when that holds.
    var patience = SaveTraffic.firstPatience
    var patienceEnds = ContinuousClock.now
  }

  private static let firstPatience = Duration.milliseconds(250)
  private static let longestPatience = Duration.seconds(4)

  /// Whose read of several stores the calling thread carries out.
  @TaskLocal private static var reader: ObjectIdentifier?

  private let state = Mutex(State())
  /// Shared by reads of several stores, and closed while a save over several stores becomes visible in them (X20).
  let visibility = CommitGate()

  /// What becomes of the saves.
  package var policy: CrossStoreSaves {
    get { state.withLock { $0.policy } }
    set { state.withLock { $0.policy = newValue } }
  }

  /// What reads of several stores see of the saves of others.
  package var reads: ReadsAcrossStores {
    get { state.withLock { $0.reads } }
    set { state.withLock { $0.reads = newValue } }
  }

  /// Runs a read of several stores while no save over several stores of this coordinator becomes visible (X20).
  ///
  /// A read that is part of another one does not wait by itself: a save that waits for the outer read would keep it
  /// waiting for ever.
  ///
  /// - Throws: `userCancelled`, or what `body` throws.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    let own = ObjectIdentifier(self)
    guard Self.reader != own else { return try body() }
    return try visibility.sharing(RequestScope.cancellation) {
      try Self.$reader.holding(own, body)
    }
  }

  /// Whether this coordinator is writing a save now.
  func isWriting(_ save: SaveID) -> Bool {
    state.withLock { $0.underWay.contains(save) }
  }

  /// When this coordinator has first come upon a part of a save that others write.
  func firstSight(of save: SaveID) -> ContinuousClock.Instant {
    let now = ContinuousClock.now
    return state.withLock { state in
      if let known = state.seen[save] { return known }
      // Those of long ago are over, and are looked at anew if they are not.
      state.seen = state.seen.filter { now - $0.value < .seconds(60) }
      state.seen[save] = now
      return now
    }
  }

  /// How long a save of others that is not decided may go on from when this coordinator has first seen it: when it
  /// began says another machine's clock. Each save that was ended doubles it for a while, so that a large save, which
  /// begins anew, comes to its end.
  var patience: Duration {
    state.withLock { ContinuousClock.now < $0.patienceEnds ? $0.patience : Self.firstPatience }
  }

  /// A save of others was ended that was not decided.
  func othersWereEnded() {
    let now = patience
    state.withLock { state in
      state.patience = min(now * 2, Self.longestPatience)
      state.patienceEnds = .now + .seconds(120)
    }
  }

  /// Runs a save whose parts nobody in this coordinator may settle meanwhile.
  func writing<Result>(_ save: SaveID, _ body: () throws -> Result) rethrows -> Result {
    state.withLock { _ = $0.underWay.insert(save) }
    defer { state.withLock { _ = $0.underWay.remove(save) } }
    return try body()
  }
}
