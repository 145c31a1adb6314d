// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// What the saves of a coordinator that concern several stores have in common.
package final class SaveTraffic: Sendable {
  private struct State {
    var policy = CrossStoreSaves.atomic
    var underWay: Set<SaveID> = []
    var seen: [SaveID: ContinuousClock.Instant] = [:]
  }

  private let state = Mutex(State())
  /// Shared by fetches over several stores, and closed while a save over several stores becomes visible in them (X20).
  let visibility = CommitGate()

  /// What becomes of the saves.
  package var policy: CrossStoreSaves {
    get { state.withLock { $0.policy } }
    set { state.withLock { $0.policy = newValue } }
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

  /// Runs a save whose parts nobody in this coordinator may settle meanwhile.
  func writing<Result>(_ save: SaveID, _ body: () throws -> Result) rethrows -> Result {
    state.withLock { _ = $0.underWay.insert(save) }
    defer { state.withLock { _ = $0.underWay.remove(save) } }
    return try body()
  }
}
