// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension Upstream {
  /// Whether something else than the newest state is read.
  var isPinned: Bool {
    if case .newest = context.upstreamState.snapshot { return false }
    return true
  }

  /// Whether a moment of the past is read: nothing is written then.
  var isPast: Bool {
    if case .past = context.upstreamState.snapshot { return true }
    return false
  }

  /// Refuses to write from a context that shows the past.
  ///
  /// - Throws: `readOnlyStore`.
  func requirePresent() throws {
    guard isPast else { return }
    throw PersistenceError(
      .readOnlyStore,
      "The context shows its stores as they were, and what was cannot be changed: change the objects "
        + "with the same IDs in another context.")
  }

  /// The snapshot to read, taken now if that was put off.
  func currentGeneration() throws -> StoreGeneration? {
    switch context.upstreamState.snapshot {
    case .newest: return nil
    case .pinned(let token): return token.generation
    case .past(let generation): return generation
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
