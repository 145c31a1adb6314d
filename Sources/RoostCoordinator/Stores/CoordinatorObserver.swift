// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostStore
import Synchronization

/// An observer of what happens to the stores of a coordinator: a context, or another one.
///
/// Callbacks come on any thread and with no lock held; the coordinator holds its observers weakly.
package protocol CoordinatorObserver: AnyObject, Sendable {
  /// Whether the observer wants commits now; their records are listed only when an observer does.
  var hearsCommits: Bool { get }

  /// A store was removed; its objects are now invalid (B235).
  func coordinator(_ coordinator: PersistentStoreCoordinator, didRemove store: StoreIdentity)

  /// Changes were committed, by any context of the coordinator.
  func coordinator(_ coordinator: PersistentStoreCoordinator, didCommit changes: CommittedChanges)
}

/// The records that a commit wrote.
package struct CommittedChanges: Sendable {
  package var inserted: [ObjectID] = []
  package var updated: [ObjectID] = []
  package var deleted: [ObjectID] = []
  /// The ends of links that were added or removed, whose records were not written.
  package var linked: [ObjectID] = []
  /// The changed properties of the updated records; nil when not known.
  package var properties: ChangedProperties?
  /// Rows that a parent context passes to its children for the records that it wrote, so that they need not enter its
  /// queue; empty for a commit, whose rows the coordinator has.
  package var rows: [ObjectID: Row] = [:]
  /// The stores in which unknown records were written: all their objects may be out of date.
  package var outdatedStores: [StoreIdentity] = []
  /// Whether another coordinator, or another process, wrote the changes.
  package var isRemote = false
  /// Whether a batch request, which bypasses contexts (B272), wrote the changes.
  package var isBatch = false
  /// The position of the stores' histories up to which these changes report everything. nil for saves of this
  /// coordinator: writes of others before them may still be unreported.
  package var token: PersistentHistoryToken?
  /// The context that committed.
  package var sender: ObjectIdentifier?

  package init() {}
}

struct WeakObserver {
  weak var observer: (any CoordinatorObserver)?
  /// Whether the observer may ever want commits.
  let isOfCommits: Bool
}

extension PersistentStoreCoordinator {
  /// Adds an observer; it is not retained.
  ///
  /// - Parameter isOfCommits: Whether the observer may ever want commits.
  package func addObserver(_ observer: any CoordinatorObserver, ofCommits isOfCommits: Bool = true)
  {
    state.withLock { state in
      state.observers.removeAll { $0.observer == nil }
      state.observers.append(WeakObserver(observer: observer, isOfCommits: isOfCommits))
    }
  }

  /// Ends what ``addObserver(_:ofCommits:)`` began.
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
  /// The observers that want commits of a coordinator now.
  init(hearingCommitsOf coordinator: PersistentStoreCoordinator) {
    let observers = coordinator.state.withLock { state in
      state.hasObserversOfCommits
        ? state.observers.lazy.filter(\.isOfCommits).compactMap(\.observer) : []
    }
    self = observers.isEmpty ? observers : observers.filter(\.hearsCommits)
  }
}
