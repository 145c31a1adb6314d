// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel

// What the parts of a context keep.

/// The state of ``FaultLoader`` and ``RowMaterializer``.
struct LoadingState {
  /// The commits that the coordinator had seen when it was last asked.
  var commitCountOfFetch = -1
  /// The store that was asked for last.
  var lastStore: AttachedStore?
  /// What the next object that the materializer makes is to be.
  var awaited: AwaitedObject?
}

/// The state of ``EventLoop``.
struct EventState {
  /// Who waits for messages; nil as long as nobody ever did.
  var messageHub: MessageHub?
  /// The event that observers hear of at this moment (B57).
  var postedEvent: EventLog?
  /// The events that are over and not told yet: an observer of one may end the next.
  var untold: [UntoldEvent] = []
  var isTelling = false
  /// Who keeps results up to date; nil as long as nobody ever did.
  var follower: (any GraphFollower)?
  /// What Observation keeps of the objects; nil while they are not observed.
  var observation: ObservationTable?
}

/// The state of ``SaveEngine``.
struct SavingState {
  /// The stores that objects were assigned to, until they are saved (B230).
  var assignments: [ObjectIdentifier: StoreIdentity] = [:]
  /// The records that were removed and are to be written again.
  var reborn = RebornRecords()
  /// Objects whose records the next save compares although they are not changed (B174).
  var watched: [ObjectIdentifier: WatchedObject] = [:]
  /// The transactions that the changes take back.
  var reverts: [PendingRevert] = []
  /// The undo group that is open, of whose saves the history says so; nil for none.
  weak var undoGroup: SaveGroup?
  /// What the save that is going on writes to the metadata of stores, by their UUIDs.
  var userValues: [String: UserValueChanges] = [:]
  /// The records that were in another version in the store when a save was refused.
  var outdatedRecords: Set<ObjectID> = []
  /// Who stands for objects that left while conflicts were resolved.
  var replacements = Replacements()
  /// Whether the save that is going on checks no rules: a migration saves objects that are not complete yet.
  var isUnchecked = false
}

/// The state of ``Upstream``.
struct UpstreamState {
  /// The coordinator of a context without parent.
  var rootCoordinator: PersistentStoreCoordinator?
  /// What the rows that go from parents to children say instead of keys; one for a whole tree.
  var references: ReferenceTable?
  /// Which snapshot is read.
  var snapshot = ReadSnapshot.newest
  /// Hears of removed stores; nil without a coordinator.
  var observer: StoreObserver? {
    didSet { removedStores = observer?.removed }
  }
  private(set) var removedStores: RemovedStores?
}

/// The state of ``ChangeMerger``.
struct MergingState {
  /// Whether what others saved is being merged.
  var isMerging = false
  /// The objects that the last merge found deleted, until changes are processed.
  var mergedDeletions: [ManagedObject] = []
}

/// The state of ``ReadErrors``.
struct UnthrownErrors {
  /// What could not be read where nothing could be thrown.
  var readFailures = ReadFailures()
  /// Changes that were refused where nothing could be thrown; the next save throws them, once.
  var refusedChanges: [PersistenceError] = []

  var isEmpty: Bool { refusedChanges.isEmpty && readFailures.isEmpty }
}

/// The entities and classes that objects were made of last: many objects are made of one class.
struct ClassLookup {
  var lastClass: ManagedObject.Type?
  var lastEntity: EntityDescription?
  /// The entity whose objects were found to be welcome last.
  var lastInserted: EntityBinding?
  /// What the last temporary ID shares with those that are made after it.
  var temporaryIDs: IDScope?
}

/// The relationships of objects that went away, which are released one after the other.
struct ReleasedLinks {
  var links: [LinkStates] = []
  var isReleasing = false
}
