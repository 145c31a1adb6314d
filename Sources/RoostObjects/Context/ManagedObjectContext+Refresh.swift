// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

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
    forgetUnthrown()
    mergedDeletions = []
    watched = [:]
    let changed = changes.entries.compactMap { $0 }
    for object in changed {
      changes.begin(object)
      if !object.flags.contains(.inserted) {
        // Whether the record is gone is asked again.
        object.flags.remove(.inaccessible)
        object.restoreCommitted()
        noteRefresh(of: object)
      }
    }
    for object in changed where object.flags.contains(.inserted) { forget(object) }
    changes.removeAll()
    dropOutdated()
    for object in changed { object.awaken(after: .rollback) }
    forgetUndo()
    endEvent(registersUndo: false)
  }

  /// Forgets all objects: they lose their context, and all changes are dropped. Observers hear of it as
  /// ``NotificationKey/invalidatedAllObjects``.
  public func reset() {
    checkQueue()
    // Some of them are kept by their changes alone, and are named nevertheless.
    let objects = registry.all
    changes.removeAll()
    _ = changes.takeEvent()
    forgetUndo()
    forgetUnthrown()
    advanceGeneration()
    retained = [:]
    assignments = [:]
    watched = [:]
    outdatedRecords = []
    for object in objects {
      registry.remove(object)
      object.leaveContext()
      if followsCoreData { object.becomeFaultOfItself() }
    }
    mergedDeletions = []
    postInvalidation(of: objects)
  }

  /// Tells that objects became useless together; after a reset also when nobody holds one (B350).
  private func postInvalidation(of objects: [ManagedObject]) {
    var lists = ObjectLists()
    lists.invalidatedAll = objects.map(\.identity)
    lists.hasInvalidatedAll = true
    postObjectsDidChange(lists)
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
    try readAgain([object.identity])
    if flag {
      guard try mergeStoredValues(into: [object]).isEmpty else {
        throw ManagedObjectContext.missingRecord(object.identity)
      }
      return noteRefresh(of: object)
    }
    noteRefresh(of: object)
    let elsewhere = object.takeBackLinks()
    changes.forget(object)
    object.flags.remove(.inaccessible)
    object.turnIntoFault()
    // What was led to another object is changed there, and this object has its part in that.
    for (relationship, destination) in elsewhere {
      object.noteLinkChange(relationship)
      _ = object.unlink(relationship, destination)
    }
  }

  /// Turns a new object into a fault: what was set is lost, and it is read as a new object is (B344).
  private func dropValues(ofNew object: ManagedObject) {
    changes.begin(object)
    _ = object.takeBackLinks()
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
    try readAgain(readFailures.objectIDs)
    readFailures.removeAll()
    let objects = registry.all.filter(\.isKnownBelow)
    let changed = objects.filter { $0.hasChanges && !$0.isInserted && !$0.isFault }
    let gone = Set(try mergeStoredValues(into: changed))
    for object in changed where !gone.contains(object) { noteRefresh(of: object) }
    for object in objects where !object.hasChanges {
      if !object.isFault { noteRefresh(of: object) }
      object.turnIntoFault()
    }
  }

  /// Puts the stored values under the unsaved changes of objects.
  ///
  /// - Returns: The objects whose records are gone; they are not changed.
  private func mergeStoredValues(into objects: [ManagedObject]) throws -> [ManagedObject] {
    guard !objects.isEmpty else { return [] }
    let rows = try source().rows(
      for: objects.map(\.identity), stalenessInterval: stalenessInterval)
    statistics.roundTrips += 1
    var gone: [ManagedObject] = []
    for (object, row) in zip(objects, rows) {
      if let row { object.rebase(on: row) } else { gone.append(object) }
    }
    for (object, row) in zip(objects, rows) where row != nil { object.awaken(after: .refresh) }
    return gone
  }

  /// Objects of stores that were removed lose their context (B235).
  func invalidateRemovedStores() {
    guard let removed = observer?.takeRemoved(), !removed.isEmpty else { return }
    let identifiers = Set(removed.map(\.identifier))
    let invalid = registry.all.filter { object in
      object.identity.storeIdentity.map { identifiers.contains($0.identifier) } ?? false
    }
    for object in invalid { forget(object) }
    if !invalid.isEmpty { postInvalidation(of: invalid) }
  }
}

extension ManagedObject {
  /// Stays behind when the context goes away.
  final func outliveContext() {
    leaveContext()
    settled.removeAll()
    if !flags.contains(.gone) { flags.insert(.orphaned) }
  }

  /// Lets go of the context, and of the objects that this one is related to.
  final func leaveContext() {
    forgetFetchedValues()
    if flags.contains(.observed) { context?.observation?.forget(self) }
    context = nil
    links = LinkStates()
    group = nil
  }

  /// Goes back to the values of the last fetch or save.
  final func restoreCommitted() {
    defer { tellReplacement() }
    if memory != nil, let snapshot {
      let restored = binding.hasTransientSlots ? restoredWithTransients(snapshot) : snapshot
      row = restored
      memory = restored.base
    }
    settled.removeAll()
    changedSlots.removeAll()
    for (ordinal, state) in links.enumerated() where changedLinks.contains(ordinal) {
      switch state {
      case .unloaded: break
      case .toOne: links[ordinal] = .unloaded
      case .toMany(let links): links.rollback()
      }
    }
    changedLinks.removeAll()
  }

  /// Takes over newer committed values; what was changed here since stays on top (B116).
  final func rebase(on fresh: Row) {
    defer { tellReplacement() }
    forgetFetchedValues()
    guard let old = row, memory != nil else {
      attach(fresh)
      return
    }
    let merged = fresh.copy()
    for index in changedSlots.indices {
      let slot = binding.layout.slots[index]
      // A value that was set and is the same is no change that could stand against the store's (B55).
      if let base = snapshot, old.equals(base, at: slot) { continue }
      merged.copySlot(slot, from: old)
    }
    for slot in binding.transientSlots { merged.copySlot(slot, from: old) }
    snapshot = fresh
    row = hasChanges || binding.hasTransientSlots ? merged : fresh
    memory = row?.base
    settled.removeAll()
    for (ordinal, state) in links.enumerated() where !changedLinks.contains(ordinal) {
      switch state {
      case .toOne: links[ordinal] = .unloaded
      case .toMany(let known) where !known.hasChanges: links[ordinal] = .unloaded
      default: break
      }
    }
  }

  private final func restoredWithTransients(_ committed: Row) -> Row {
    let result = committed.copy()
    if let row {
      for slot in binding.transientSlots { result.copySlot(slot, from: row) }
    }
    return result
  }
}
