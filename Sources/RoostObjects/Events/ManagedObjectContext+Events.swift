// SPDX-License-Identifier: Apache-2.0

// An event is what happens between two calls of `processPendingChanges`: its changes are applied, told and undone
// together.
extension ManagedObjectContext {
  /// Ends the current event: applies the delete rules of what was deleted in it, and posts one
  /// ``didChangeObjectsNotification`` for all that changed.
  ///
  /// It runs by itself before a fetch, before a save, and at the end of each closure of ``perform(_:)``. What the main
  /// thread changes in a context of the main queue is told when that queue comes to its next turn. A program that uses
  /// another context without these calls it where an event ends for it.
  /// - Complexity: O(objects that the event touched), and at most one query a relationship for the delete rules. Rules
  ///   for which a store cannot be asked now wait for the next call, and for the save, which throws if it cannot.
  public func processPendingChanges() {
    checkQueue()
    invalidateRemovedStores()
    merging.mergedDeletions = []
    merger.mergeHeardSaves()
    // What cannot be read now waits: a save goes nowhere without it.
    if propagatesDeletesAtEndOfEvent { readErrors.propagateDeletesOrWait() }
    events.endEvent()
    eventState.follower?.changesWereProcessed()
  }
}
