// SPDX-License-Identifier: Apache-2.0

// An event is the time between two calls of `processPendingChanges`: its changes are processed, posted and undone
// together.
extension ManagedObjectContext {
  /// Ends the current event: applies the delete rules of its deletions, and posts one
  /// ``didChangeObjectsNotification`` for all changes.
  ///
  /// It is called automatically before a fetch, before a save, and at the end of each closure of ``perform(_:)``.
  /// Changes that the main thread makes in a context of the main queue are posted at the next turn of that queue. A
  /// program that uses another context without these calls it at the end of each event.
  /// - Complexity: O(objects touched by the event), and at most one query for each relationship with delete rules. If
  ///   a store cannot be queried now, its rules wait for the next call, and for the save, which throws if it cannot
  ///   query the store either.
  public func processPendingChanges() {
    checkQueue()
    invalidateRemovedStores()
    merging.mergedDeletions = []
    merger.mergeHeardSaves()
    // Rules that cannot be applied now wait: a save fails without them.
    if propagatesDeletesAtEndOfEvent { readErrors.propagateDeletesOrWait() }
    events.endEvent()
    eventState.follower?.changesWereProcessed()
  }
}
