// SPDX-License-Identifier: Apache-2.0

import RoostModel

// An event is what happens between two calls of `processPendingChanges`: its changes are applied, told and undone
// together.
extension ManagedObjectContext {
  /// Ends the current event: applies the delete rules of what was deleted in it (B84), and posts one
  /// ``didChangeObjectsNotification`` for all that changed (B97).
  ///
  /// It runs by itself before a fetch, before a save, and at the end of each closure of ``perform(_:)``. There is no
  /// run loop to end events otherwise: a program that uses a context without these calls it where an event ends for it.
  /// - Complexity: O(objects that the event touched), and at most one query a relationship for the delete rules.
  public func processPendingChanges() {
    invalidateRemovedStores()
    if propagatesDeletesAtEndOfEvent { propagateDeletes() }
    endEvent()
  }

  /// Tells what changed since the last event ended. An observer that ends an event itself is told of it when all have
  /// heard of the first.
  func endEvent() {
    guard !isEndingEvent else {
      isNextEventWanted = true
      return
    }
    isEndingEvent = true
    defer { isEndingEvent = false }
    for _ in 0..<ManagedObjectContext.willSaveRounds {
      guard let log = changes.takeEvent() else { return }
      isNextEventWanted = false
      if postsNotifications || messageHub != nil { tell(log) }
      guard isNextEventWanted else { return }
      if propagatesDeletesAtEndOfEvent { propagateDeletes() }
    }
  }

  private func tell(_ log: EventLog) {
    let lists = log.lists()
    guard !lists.isEmpty else { return }
    postedEvent = log
    postObjectsDidChange(lists)
    postedEvent = nil
  }

  /// Notes that the values of an object were read anew (B100).
  func noteRefresh(of object: ManagedObject) {
    changes.event.refreshed.append(object)
  }
}
