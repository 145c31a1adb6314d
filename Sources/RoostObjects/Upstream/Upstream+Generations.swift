// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator

extension Upstream {
  /// Whether something else than the newest state is read.
  var isPinned: Bool {
    if case .newest = context.upstreamState.snapshot { return false }
    return true
  }

  /// The snapshot to read, taken now if that was put off.
  func currentGeneration() throws -> StoreGeneration? {
    switch context.upstreamState.snapshot {
    case .newest: return nil
    case .pinned(let token): return token.generation
    case .next:
      context.statistics.roundTrips += 1
      let token = QueryGenerationToken(
        try context.asCaller { try context.coordinator().takeGeneration() })
      context.upstreamState.snapshot = .pinned(token)
      return token.generation
    }
  }

  /// Moves on to the snapshot of the next read, if the context reads a snapshot at all (B294).
  func advanceGeneration() {
    if case .pinned = context.upstreamState.snapshot { context.upstreamState.snapshot = .next }
  }
}
