// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostStore
import Synchronization

/// Learns what happens to the stores of a coordinator: a context, or another observer.
///
/// Calls come on any thread and with no lock held; the coordinator holds its observers weakly.
package protocol CoordinatorObserver: AnyObject, Sendable {
  /// Whether it is to be told of commits at the moment; their records are listed only for a listener.
  var hearsCommits: Bool { get }

  /// A store was removed: its objects are invalid (B235).
  func coordinator(_ coordinator: PersistentStoreCoordinator, didRemove store: StoreIdentity)

  /// Changes were committed, by any context of the coordinator.
  func coordinator(_ coordinator: PersistentStoreCoordinator, didCommit changes: CommittedChanges)
}

/// Which records a commit wrote.
package struct CommittedChanges: Sendable {
  package var inserted: [ObjectID] = []
  package var updated: [ObjectID] = []
  package var deleted: [ObjectID] = []
  /// The ends of links that were added or removed, whose records were not written.
  package var linked: [ObjectID] = []
  /// The properties that changed of the updated records; nil when that is not known.
  package var properties: ChangedProperties?
  /// What a parent tells its children of the records that it wrote, so that they need not enter its queue to learn it;
  /// empty for a commit, whose rows the coordinator has.
  package var rows: [ObjectID: Row] = [:]
  /// The stores of which nobody knows what was written: all their objects may be out of date.
  package var outdatedStores: [StoreIdentity] = []
  /// Whether another coordinator, or another process, has written it.
  package var isRemote = false
  /// Whether a batch request has written it, which goes past the contexts (B272).
  package var isBatch = false
  /// How far the stores' histories are told with it. nil for what the own coordinator saves: before that, others may
  /// have saved what is not told yet.
  package var token: PersistentHistoryToken?
  /// Who committed.
  package var sender: ObjectIdentifier?

  package init() {}
}

struct WeakObserver {
  weak var observer: (any CoordinatorObserver)?
  /// Whether it may ever want to hear of commits.
  let isOfCommits: Bool
}

extension PersistentStoreCoordinator {
  /// Adds an observer; it is not retained.
  ///
  /// - Parameter isOfCommits: Whether it may ever want to hear of commits.
  package func addObserver(_ observer: any CoordinatorObserver, ofCommits isOfCommits: Bool = true)
  {
    state.withLock { state in
      state.observers.removeAll { $0.observer == nil }
      state.observers.append(WeakObserver(observer: observer, isOfCommits: isOfCommits))
    }
  }

  /// Ends what ``addObserver(_:)`` began.
  package func removeObserver(_ observer: any CoordinatorObserver) {
    state.withLock { state in
      state.observers.removeAll { $0.observer == nil || $0.observer === observer }
    }
  }

  func liveObservers() -> [any CoordinatorObserver] {
    state.withLock { $0.observers.compactMap { $0.observer } }
  }
}

extension [any CoordinatorObserver] {
  /// Those who are to be told of commits of a coordinator at the moment.
  init(hearingCommitsOf coordinator: PersistentStoreCoordinator) {
    let observers = coordinator.state.withLock { state in
      state.hasObserversOfCommits
        ? state.observers.lazy.filter(\.isOfCommits).compactMap(\.observer) : []
    }
    self = observers.isEmpty ? observers : observers.filter(\.hearsCommits)
  }
}
