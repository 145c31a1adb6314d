// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension Walker {
  func save() throws {
    try context.save()
    try finishSave()
  }

  /// Checks the store after a save that succeeded.
  func finishSave() throws {
    try noteSave()
    try compareStore()
  }

  /// Records that all changes are saved.
  private func noteSave() throws {
    for serial in current.all {
      let id = try object(serial).objectID
      try expect(!id.isTemporaryID, "the ID of \(serial) is permanent after a save (I7)")
      if stored.records[serial] != nil {
        try expectEqual(id, try require(ids[serial]), "the ID of \(serial) (I7)")
      }
      ids[serial] = id
    }
    for serial in stored.records.keys where current.records[serial] == nil {
      ids[serial] = nil
      versions.remove(serial)
    }
    for serial in current.all {
      if stored.records[serial] == nil {
        versions.insert(serial)
      } else if moved.contains(serial), !isWritten(serial) {
        versions[serial] = nil
      } else if isWritten(serial) {
        versions[serial]? += 1
      }
    }
    stored = current
    settled()
    try expect(!context.hasChanges, "the context has no changes after a save (I6)")
    try checkLearners()
  }

  /// Clears the pending changes: the context equals the store.
  private func settled() {
    touched = [:]
    related = []
    moved = []
    hasTravelled = false
  }

  /// A save that fails half-way: the store and the pending changes are as before (I8).
  ///
  /// Over two stores, the first store or the decider fails; or a call fails after the first prepare, before the
  /// decision or after it: prepared parts stay, and are settled when the stores are closed and opened again (X4, X6).
  /// Or the process dies at some call.
  func failedSave(_ step: WalkStep) throws {
    // Without two-phase commit, a save writes one store after the other.
    let isAtomic = stack.coordinator.persistentStores.allSatisfy { $0.preparation != nil }
    let end = layout.isAcrossStores && isAtomic ? step.third % (isReopenable ? 6 : 4) : 0
    if end >= 4 { return try dieSaving(at: step.second % 14) }
    if end >= 2 { faults.fail(.finish) }
    if end < 3 { faults.fail(.commit, number: end == 0 ? 1 : 2) }
    defer { faults.clear() }
    let before = faults.fired
    do {
      try context.save()
    } catch let error as PersistenceError where error.code == FaultSwitch.error.code {
      try expect(faults.fired > before && end < 3, "the call that failed")
      if end == 2 { return try reopen() }
      try expectEqual(faults.fired, before + 1, "the calls that failed")
      try compareStore()
      try compareGraph()
      return
    }
    guard end < 2 else {
      // A decided save has succeeded, although one of the stores could not finish.
      try noteSave()
      return try reopen()
    }
    // Nothing had to be written, or only in one store.
    try expectEqual(faults.fired, before, "the calls that failed")
    try finishSave()
  }

  func rollback() throws {
    if let frame = frames.last {
      try rollbackChild(frame)
      return
    }
    context.rollback()
    try expect(!context.hasChanges, "the context has no changes after a rollback (I6)")
    backToStore()
    try compareGraph()
  }

  func reset() throws {
    context.reset()
    try expect(context.registeredObjects.isEmpty, "nothing is registered after a reset")
    if let frame = frames.last { backTo(frame) } else { backToStore() }
  }

  func reopen() throws {
    faults.clear()
    forgetHistory()
    try stack.readAnew()
    // The contexts that the live results observed are gone.
    live.forgetContexts()
    context.undoManager = undoManager
    backToStore()
    try compareStore()
  }

  func backToStore() {
    learners = []
    for serial in current.records.keys where stored.records[serial] == nil { ids[serial] = nil }
    current = stored
    settled()
  }

  /// Turns an object into a fault, or merges its changes over the stored values. Objects whose relationships were
  /// touched keep them, which only the merge can do.
  func refresh(_ step: WalkStep) throws {
    guard let serial = pick(current.all, step.first) else { return }
    // A new object would lose its values, and with them its number.
    let keeps =
      step.second % 2 == 0 || related.contains(serial) || moved.contains(serial)
      || below.records[serial] == nil
    try context.refresh(try object(serial), mergeChanges: keeps)
    guard !keeps, let record = below.records[serial] else { return }
    forgetHistory()
    current.records[serial] = record
    touched[serial] = nil
  }

  func refreshAll() throws {
    try context.refreshAllObjects()
  }

  /// Changes a record in another context. Then this context reads anew, or saves and perhaps has a conflict.
  func interfere(_ step: WalkStep) throws {
    guard !hasTravelled else { return }
    forgetHistory()
    let candidates = stored.all.filter {
      current.records[$0] != nil && !(moved.contains($0) && !isWritten($0))
    }
    guard let serial = pick(candidates, step.first), let id = ids[serial] else { return }
    let values = GardenModel.values(of: "number")
    let value = values[step.second % values.count]
    guard ExactValue(value) != ExactValue(stored.value("number", of: serial)) else { return }
    let other = stack.makeContext()
    try other.existingObject(with: id).set("number", value.native)
    try other.save()
    let wasWritten = isWritten(serial)
    let isChangedHere =
      ExactValue(current.value("number", of: serial))
      != ExactValue(stored.value("number", of: serial))
    stored.records[serial]?.set("number", value)
    versions[serial]? += 1
    if step.third % 2 == 0 {
      try context.refreshAllObjects()
      if !isChangedHere {
        current.records[serial]?.set("number", value)
      }
      try compareGraph()
    } else {
      try saveAfterInterference(serial, wasWritten, value)
    }
  }

  private func saveAfterInterference(_ serial: Int, _ wasWritten: Bool, _ value: Value) throws {
    guard wasWritten else {
      try context.save()
      current.records[serial]?.set("number", value)
      try context.refreshAllObjects()
      try finishSave()
      return
    }
    let error = try expectError(.managedObjectMerge, "a save of changes to a stale record") {
      try context.save()
    }
    try expectEqual(error.objectIDs, [try require(ids[serial])], "the records in conflict")
    try compareStore()
    context.rollback()
    try context.refreshAllObjects()
    backToStore()
    try compareGraph()
  }
}
