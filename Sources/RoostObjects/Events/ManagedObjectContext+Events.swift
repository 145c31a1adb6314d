// SPDX-License-Identifier: Apache-2.0

import RoostModel

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
    mergedDeletions = []
    mergeHeardSaves()
    // What cannot be read now waits: a save goes nowhere without it.
    if propagatesDeletesAtEndOfEvent { propagateDeletesOrWait() }
    endEvent()
  }

  /// Ends the current event: registers how to take it back (B108), and tells of it. An observer that ends an event
  /// itself is told of it when all have heard of the first.
  func endEvent(registersUndo: Bool = true) {
    guard let log = changes.takeEvent() else { return }
    if registersUndo { registerUndo(of: log) }
    guard ContextNotification.objectsDidChange.isWanted || messageHub != nil else { return }
    untold.append(UntoldEvent(log: log, lists: log.lists()))
    guard !isTelling else { return }
    isTelling = true
    defer { isTelling = false }
    for _ in 0..<ManagedObjectContext.willSaveRounds where !untold.isEmpty {
      let event = untold.removeFirst()
      guard !event.lists.isEmpty else { continue }
      postedEvent = event.log
      postObjectsDidChange(event.lists)
      postedEvent = nil
    }
  }

  /// Notes that the values of an object were read anew (B100).
  func noteRefresh(of object: ManagedObject) {
    if changes.event.isEmpty { changes.eventEnding?.schedule() }
    changes.event.refreshed.append(object)
  }
}

/// An event that is over, and what is to be told of it.
struct UntoldEvent {
  let log: EventLog
  let lists: ObjectLists
}
