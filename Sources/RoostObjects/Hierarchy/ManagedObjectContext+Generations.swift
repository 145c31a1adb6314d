// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel

/// Which moment a context reads.
enum ReadMoment {
  /// The newest state.
  case newest
  /// The state at the next read.
  case next
  /// The state of a moment.
  case pinned(QueryGenerationToken)
}

// Reading the state of one moment (B292 to B298).
extension ManagedObjectContext {
  /// The moment that the context reads; nil while it reads the newest state, or while the moment is yet to come. Always
  /// nil in a child, which reads in its parent's.
  public var queryGenerationToken: QueryGenerationToken? {
    guard case .pinned(let token) = moment else { return nil }
    return token
  }

  /// Lets the context read the state of one moment from now on, whatever others save: all fetches and faults see the
  /// same state, also of records that are deleted meanwhile.
  ///
  /// Saving, merging and ``reset()`` move a pinned context to a new moment, that of the read that comes next.
  /// Objects that are there keep their values until they are refreshed. A save is checked against the newest state.
  /// Stores that cannot show a moment are read as they are.
  ///
  /// - Parameter token: The moment of another context; ``QueryGenerationToken/current`` for that of the next read;
  ///   nil for the newest state.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a child, and while
  ///   ``automaticallyMergesChangesFromParent`` is set.
  /// - Complexity: No query now; one more at the next read, for each store.
  @_disfavoredOverload
  public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws {
    guard let token else {
      moment = .newest
      return
    }
    guard parentContext == nil else {
      throw PersistenceError(
        .invalidRequest, "A child context reads in the moment of its parent.")
    }
    guard !automaticallyMergesChangesFromParent else {
      throw PersistenceError(
        .invalidRequest,
        "A context that merges the changes of others by itself cannot read one moment.")
    }
    moment = token.generation == nil ? .next : .pinned(token)
  }

  /// Whether something else than the newest state is read.
  var isPinned: Bool {
    if case .newest = moment { return false }
    return true
  }

  /// The moment to read, taken now if that was put off.
  func currentGeneration() throws -> StoreGeneration? {
    switch moment {
    case .newest: return nil
    case .pinned(let token): return token.generation
    case .next:
      statistics.roundTrips += 1
      let token = QueryGenerationToken(try coordinator().takeGeneration())
      moment = .pinned(token)
      return token.generation
    }
  }

  /// Moves on to the moment of the next read, if the context reads a moment at all (B294).
  func advanceGeneration() {
    if case .pinned = moment { moment = .next }
  }
}
