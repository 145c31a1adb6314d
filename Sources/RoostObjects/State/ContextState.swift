// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel

// The state of a context's parts.

/// The state of ``FaultLoader`` and ``RowMaterializer``.
struct LoadingState {
  /// The coordinator's commit count at the last request.
  var commitCountOfFetch = -1
  /// A cache of the store looked up last.
  var lastStore: AttachedStore?
  /// The arguments for the next object that the materializer creates.
  var awaited: AwaitedObject?
}

/// The state of ``EventLoop``.
struct EventState {
  /// The hub of message subscribers; nil until the first subscription.
  var messageHub: MessageHub?
  /// The event whose notifications are being posted now (B57).
  var postedEvent: EventLog?
  /// Ended events whose notifications are not posted yet: an observer of one event may end the next.
  var untold: [UntoldEvent] = []
  var isTelling = false
  /// The follower that keeps results up to date; nil until there is one.
  var follower: (any GraphFollower)?
  /// The registrars of Swift's Observation for the objects; nil while they are not observed.
  var observation: ObservationTable?
}

/// The state of ``SaveEngine``.
struct SavingState {
  /// The stores that objects were assigned to, until they are saved (B230).
  var assignments: [ObjectIdentifier: StoreIdentity] = [:]
  /// The records that were removed and will be written again.
  var reborn = RebornRecords()
  /// Unchanged objects whose records the next save compares (B174).
  var watched: [ObjectIdentifier: WatchedObject] = [:]
  /// The transactions that the pending changes revert.
  var reverts: [PendingRevert] = []
  /// The number of reverts named by the saves of the context so far.
  var namedReverts = 0
  /// The positions that the next save restores in ordered relationships.
  var restoredPositions = RestoredPositions()
  /// The open undo group, whose ID the history stores with each save; nil for none.
  weak var undoGroup: SaveGroup?
  /// The changes of store metadata in the current save, by store UUID.
  var userValues: [String: UserValueChanges] = [:]
  /// The records whose version in the store differed when a save was refused.
  var outdatedRecords: Set<ObjectID> = []
  /// The replacements of objects that left while conflicts were resolved.
  var replacements = Replacements()
  /// Whether the current save skips validation: a migration saves objects that are incomplete.
  var isUnchecked = false
}

/// The state of ``Upstream``.
struct UpstreamState {
  /// The coordinator of a context without parent.
  var rootCoordinator: PersistentStoreCoordinator?
  /// The negative numbers that stand for IDs in rows passed between parents and children; one table for a whole tree.
  var references: ReferenceTable?
  /// The snapshot that is read.
  var snapshot = ReadSnapshot.newest
  /// Observes removals of stores; nil without a coordinator.
  var observer: StoreObserver? {
    didSet { removedStores = observer?.removed }
  }
  private(set) var removedStores: RemovedStores?
}

/// The state of ``ChangeMerger``.
struct MergingState {
  /// Whether the saves of other contexts are being merged.
  var isMerging = false
  /// The objects found deleted by the last merge, until changes are processed.
  var mergedDeletions: [ManagedObject] = []
}

/// The state of ``ReadErrors``.
struct UnthrownErrors {
  /// The read failures in places where nothing could be thrown.
  var readFailures = ReadFailures()
  /// Changes refused where nothing could be thrown; the next save throws them, once.
  var refusedChanges: [PersistenceError] = []

  var isEmpty: Bool { refusedChanges.isEmpty && readFailures.isEmpty }
}

/// The most recently used entity and class: usually many objects of one class are created in a row.
struct ClassLookup {
  var lastClass: ManagedObject.Type?
  var lastEntity: EntityDescription?
  /// The entity of the last new object that the context accepted.
  var lastInserted: EntityBinding?
  /// The ID scope shared by the temporary IDs being created.
  var temporaryIDs: IDScope?
}

/// The relationships of released objects, which are released iteratively.
struct ReleasedLinks {
  var links: [LinkStates] = []
  var isReleasing = false
}
