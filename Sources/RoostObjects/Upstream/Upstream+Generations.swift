// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension Upstream {
  /// Whether the context reads a snapshot or a past state, and not the newest one.
  var isPinned: Bool {
    if case .newest = context.upstreamState.snapshot { return false }
    return true
  }

  /// Whether the context reads a past state, and cannot write.
  var isPast: Bool {
    if case .past = context.upstreamState.snapshot { return true }
    return false
  }

  /// Throws if the context reads a past state.
  ///
  /// - Throws: `readOnlyStore`.
  func requirePresent() throws {
    guard isPast else { return }
    throw PersistenceError(
      .readOnlyStore,
      "The context shows a past state of its stores, which cannot be changed: change the objects "
        + "with the same IDs in another context.")
  }

  /// Returns the snapshot to read, taking it now if it is still to be taken.
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

  /// Makes the next read take a new snapshot, if the context reads one at all (B294).
  func advanceGeneration() {
    if case .pinned = context.upstreamState.snapshot { context.upstreamState.snapshot = .next }
  }
}
