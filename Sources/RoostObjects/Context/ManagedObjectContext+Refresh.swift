// SPDX-License-Identifier: Apache-2.0

// Going back: to the last save, to the store's values, to nothing.
extension ManagedObjectContext {
  /// Drops all changes: new objects leave the context, deletions are cancelled, changed objects have their committed
  /// values again. An object that a refused save has proved out of date becomes a fault instead, and has the store's
  /// values when it is read again. The undo manager forgets everything. No store is asked.
  public func rollback() {
    checkQueue()
    // What was never saved and was deleted is forgotten already, as far as the program can see (B89).
    for object in changes.unpropagated where object.isLeaving && !object.flags.contains(.deleted) {
      forget(object)
    }
    changes.unpropagated = []
    readErrors.forgetUnthrown()
    merging.mergedDeletions = []
    saving.watched = [:]
    saving.reverts = []
    let changed = changes.entries.compactMap { $0 }
    for object in changed {
      changes.begin(object)
      if !object.flags.contains(.inserted) {
        // Whether the record is gone is asked again.
        object.flags.remove(.inaccessible)
        object.restoring.restoreCommitted()
        events.noteRefresh(of: object)
      }
    }
    for object in changed where object.flags.contains(.inserted) { forget(object) }
    changes.removeAll()
    saver.dropOutdated()
    for object in changed { object.restoring.awaken(after: .rollback) }
    undoRecorder.forgetUndo()
    events.endEvent(registersUndo: false)
  }

  /// Forgets all objects: they lose their context, and all changes are dropped. Observers hear of it as
  /// ``NotificationKey/invalidatedAllObjects``.
  public func reset() {
    checkQueue()
    // Some of them are kept by their changes alone, and are named nevertheless.
    let objects = registry.all
    changes.removeAll()
    changes.dropEvent()
    undoRecorder.forgetUndo()
    readErrors.forgetUnthrown()
    upstream.advanceGeneration()
    retained = [:]
    saving.assignments = [:]
    saving.reborn.removeAll()
    saving.watched = [:]
    saving.reverts = []
    saving.outdatedRecords = []
    for object in objects {
      registry.remove(object)
      object.orphan.leaveContext()
      if followsCoreData { object.orphan.becomeFaultOfItself() }
    }
    merging.mergedDeletions = []
    postInvalidation(of: objects)
  }

  /// Reads an object anew from the coordinator.
  ///
  /// - Parameters:
  ///   - object: An object of this context. One that was never saved has nothing to read: with true it stays as it is.
  ///   - flag: True to lay the object's unsaved changes over the new values; the object stays changed, and a following
  ///     save has no conflict with what was read. False to turn it into a fault and drop its changes; a
  ///     destination that has another owner by now is changed itself, and stays with that one. A new object stays to
  ///     be inserted, with its default values.
  /// - Throws: ``PersistenceError`` with code `objectReferentialIntegrity` when the record is gone, or what the store
  ///   throws. The object is not changed then.
  ///
  /// What could not be read of the object before is read again, and when that succeeds the object is none of those that
  /// `readError` names any more. With true, what the program has set since is kept, also what it has computed from a
  /// value that could not be read.
  /// - Complexity: No query with false, at most one with true; one more for each relationship that could not be read.
  @_disfavoredOverload
  public func refresh(_ object: ManagedObject, mergeChanges flag: Bool) throws {
    guard object.context === self else { return }
    checkQueue()
    if object.flags.contains(.inserted) {
      if !flag { dropValues(ofNew: object) }
      return
    }
    guard object.isKnownBelow else { return }
    try readErrors.readAgain([object.identity])
    if flag {
      guard try mergeStoredValues(into: [object]).isEmpty else {
        throw ManagedObjectContext.missingRecord(object.identity)
      }
      return events.noteRefresh(of: object)
    }
    events.noteRefresh(of: object)
    let elsewhere = object.restoring.takeBackLinks()
    changes.forget(object)
    object.flags.remove(.inaccessible)
    object.turnIntoFault()
    // What was led to another object is changed there, and this object has its part in that.
    for (relationship, destination) in elsewhere {
      object.editor.noteLinkChange(relationship)
      _ = object.editor.unlink(relationship, destination)
    }
  }

  /// Turns a new object into a fault: what was set is lost, and it is read as a new object is (B344).
  private func dropValues(ofNew object: ManagedObject) {
    changes.begin(object)
    _ = object.restoring.takeBackLinks()
    object.turnIntoFault()
  }

  /// Reads all registered objects anew, keeping unsaved changes. Observers hear of all that had values.
  ///
  /// An object with unsaved changes whose record is gone stays as it is: saving it is a conflict.
  /// - Throws: What the store throws; no object is changed then.
  /// - Complexity: At most one query a store.
  @_disfavoredOverload
  public func refreshAllObjects() throws {
    checkQueue()
    try readErrors.readAgain(unthrown.readFailures.objectIDs)
    unthrown.readFailures.removeAll()
    let objects = registry.all.filter(\.isKnownBelow)
    let changed = objects.filter { $0.hasChanges && !$0.isInserted && !$0.isFault }
    let gone = Set(try mergeStoredValues(into: changed))
    for object in changed where !gone.contains(object) { events.noteRefresh(of: object) }
    for object in objects where !object.hasChanges {
      if !object.isFault { events.noteRefresh(of: object) }
      object.turnIntoFault()
    }
  }

  /// Puts the stored values under the unsaved changes of objects.
  ///
  /// - Returns: The objects whose records are gone; they are not changed.
  private func mergeStoredValues(into objects: [ManagedObject]) throws -> [ManagedObject] {
    guard !objects.isEmpty else { return [] }
    let rows = try upstream.source().rows(
      for: objects.map(\.identity), stalenessInterval: stalenessInterval)
    statistics.roundTrips += 1
    var gone: [ManagedObject] = []
    for (object, row) in zip(objects, rows) {
      if let row { object.restoring.rebase(on: row) } else { gone.append(object) }
    }
    for (object, row) in zip(objects, rows) where row != nil {
      object.restoring.awaken(after: .refresh)
    }
    return gone
  }
}
