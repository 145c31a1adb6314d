// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel

// Query generations: reading one snapshot (B292 to B298).
extension ManagedObjectContext {
  /// The snapshot that the context reads; nil while it reads the newest state, or before the first read of a
  /// snapshot. Always nil in a child, which reads from its parent.
  public var queryGenerationToken: QueryGenerationToken? {
    guard case .pinned(let token) = upstreamState.snapshot else { return nil }
    return token
  }

  /// Pins the context to a snapshot of the stores, independent of later saves: all fetches and faults see the same
  /// state, including records that are deleted meanwhile.
  ///
  /// Saving, merging and ``reset()`` move a pinned context to a new snapshot, taken at its next read. Existing
  /// objects keep their values until they are refreshed. A save is checked against the newest state. Stores without
  /// snapshots are read in their current state.
  ///
  /// - Parameter token: The snapshot of another context; ``QueryGenerationToken/current`` for one taken at the next
  ///   read; nil for the newest state.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a child, for a context that reads a past state,
  ///   and while ``automaticallyMergesChangesFromParent`` is set.
  /// - Complexity: No query now; one more at the next read, for each store.
  @_disfavoredOverload
  public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws {
    guard !upstream.isPast else {
      throw PersistenceError(
        .invalidRequest, "A context that shows a past state cannot show another one.")
    }
    guard let token else {
      upstreamState.snapshot = .newest
      return
    }
    guard parentContext == nil else {
      throw PersistenceError(
        .invalidRequest, "A child context reads in the snapshot of its parent.")
    }
    guard !automaticallyMergesChangesFromParent else {
      throw PersistenceError(
        .invalidRequest,
        "A context that merges changes of others automatically cannot read one snapshot.")
    }
    upstreamState.snapshot = token.generation == nil ? .next : .pinned(token)
  }
}
