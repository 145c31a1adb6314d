// SPDX-License-Identifier: Apache-2.0

// Discarding changes: back to the last save, to the stored values, or to an empty context.
extension ManagedObjectContext {
  /// Discards all changes: new objects leave the context, deletions are cancelled, changed objects have their
  /// committed values again. An object that a refused save has found out of date becomes a fault instead, and has the
  /// store's values when it is read again. The undo manager drops all its groups. No store is queried.
  public func rollback() {
    checkQueue()
    // Never-saved objects that were deleted are forgotten already, as far as the program can see (B89).
    for object in changes.unpropagated where object.isLeaving && !object.flags.contains(.deleted) {
      forget(object)
    }
    changes.unpropagated = []
    readErrors.forgetUnthrown()
    merging.mergedDeletions = []
    saving.watched = [:]
    saving.endReverts()
    let changed = changes.entries.compactMap { $0 }
    for object in changed {
      changes.begin(object)
      if !object.flags.contains(.inserted) {
        // Whether the record is gone will be determined again.
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

  /// Removes all objects: they lose their context, and all changes are dropped. Observers are notified with
  /// ``NotificationKey/invalidatedAllObjects``.
  public func reset() {
    checkQueue()
    // Some objects are kept alive by their changes alone, and are reported nevertheless.
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
    saving.endReverts()
    saving.outdatedRecords = []
    for object in objects {
      registry.remove(object)
      object.orphan.leaveContext()
      if followsCoreData { object.orphan.becomeFaultOfItself() }
    }
    merging.mergedDeletions = []
    postInvalidation(of: objects)
  }

  /// Reads an object again from the coordinator.
  ///
  /// - Parameters:
  ///   - object: An object of this context. A never-saved one has nothing to read: with true it stays as it is.
  ///   - flag: True to reapply the object's unsaved changes to the new values; the object stays changed, and a
  ///     following save has no conflict with the values read. False to turn it into a fault and discard its changes;
  ///     a destination that has another owner by now is a changed object itself, and stays with that owner. A new
  ///     object stays inserted, with its default values.
  /// - Throws: ``PersistenceError`` with code `objectReferentialIntegrity` when the record is gone, or an error of
  ///   the store. The object is not changed then.
  ///
  /// Values of the object that could not be read before are read again; when that succeeds, the object is removed
  /// from `readError`. With true, values that the program has set since are kept, including those computed from a
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
    // A destination that moved to another object is changed there, and this object is the other side of that change.
    for (relationship, destination) in elsewhere {
      object.editor.noteLinkChange(relationship)
      _ = object.editor.unlink(relationship, destination)
    }
  }

  /// Turns a new object into a fault: its values are lost, and it reads as a new object again (B344).
  private func dropValues(ofNew object: ManagedObject) {
    changes.begin(object)
    _ = object.restoring.takeBackLinks()
    object.turnIntoFault()
  }

  /// Re-reads all registered objects, keeping unsaved changes. Observers are notified of all that had values.
  ///
  /// An object with unsaved changes whose record is gone stays as it is: saving it is a conflict.
  /// - Throws: The error of the store; no object is changed then.
  /// - Complexity: At most one query for each store.
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

  /// Merges the stored values into objects, below their unsaved changes.
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
