// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel

// Reading one snapshot (B292 to B298).
extension ManagedObjectContext {
  /// The snapshot that the context reads; nil while it reads the newest state, or before the first read of a snapshot.
  /// Always nil in a child, which reads in its parent's.
  public var queryGenerationToken: QueryGenerationToken? {
    guard case .pinned(let token) = upstreamState.snapshot else { return nil }
    return token
  }

  /// Pins the context to a snapshot of the stores, whatever others save: all fetches and faults see the same state,
  /// also of records that are deleted meanwhile.
  ///
  /// Saving, merging and ``reset()`` move a pinned context to a new snapshot, that of the read that comes next.
  /// Objects that are there keep their values until they are refreshed. A save is checked against the newest state.
  /// Stores that cannot show a snapshot are read as they are.
  ///
  /// - Parameter token: The snapshot of another context; ``QueryGenerationToken/current`` for that of the next read;
  ///   nil for the newest state.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a child, for a context that shows the past, and
  ///   while ``automaticallyMergesChangesFromParent`` is set.
  /// - Complexity: No query now; one more at the next read, for each store.
  @_disfavoredOverload
  public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws {
    guard !upstream.isPast else {
      throw PersistenceError(
        .invalidRequest, "A context that shows the past goes on showing it.")
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
        "A context that merges the changes of others by itself cannot read one snapshot.")
    }
    upstreamState.snapshot = token.generation == nil ? .next : .pinned(token)
  }
}
