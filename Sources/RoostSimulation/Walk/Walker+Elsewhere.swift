// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery

// Changes outside the walk's context: another context deletes, or a batch request changes the store. The walk saves
// first, so that it knows the whole content of the store.
extension Walker {
  /// Another context deletes a record, and this one merges the deletion (B213, B220).
  func deleteElsewhere(_ step: WalkStep) throws {
    guard frames.isEmpty, !hasTravelled, let (serial, id) = try chosen(step) else { return }
    let known = try current.all.map(object)
    for object in known where step.second % 2 == 0 { _ = try object.get("name") }
    let other = stack.makeContext()
    let saved = SavedIDs(of: other)
    other.delete(try other.existingObject(with: id))
    try other.save()
    stored.delete(serial)
    context.mergeChanges(saved.changes)
    try expect(!context.hasChanges, "a merge leaves nothing to be saved (B216)")
    try settleElsewhere()
    withExtendedLifetime(known) {}
  }

  /// A batch update writes a number into some records (B274).
  func updateInBatch(_ step: WalkStep) throws {
    guard frames.isEmpty, !hasTravelled else { return }
    try save()
    forgetHistory()
    let (old, new) = (pickNumber(step.first), pickNumber(step.second))
    let request = BatchUpdateRequest(entityName: "Node")
    request.predicate = FetchPredicate.comparison(
      ComparisonPredicate(.keyPath(["number"]), .equalTo, .constant(old)))
    request.propertiesToUpdate = ["number": new.native ?? NSNull()]
    request.resultType = .updatedObjectsCountResultType
    let count = try context.execute(request).count
    let hit = stored.serials("Node").filter {
      ExactValue(stored.value("number", of: $0)) == ExactValue(old)
    }
    try expectEqual(count, hit.count, "the records of a batch update (B273)")
    for serial in hit { stored.records[serial]?.set("number", new) }
    try settleElsewhere()
  }

  /// A batch delete removes a record: children go with it, everything else loses its references (B275).
  func deleteInBatch(_ step: WalkStep) throws {
    guard frames.isEmpty, !hasTravelled, let (serial, _) = try chosen(step),
      let entity = stored.records[serial]?.entity
    else { return }
    let doomed = FetchRequest<ManagedObject>(entityName: entity)
    doomed.predicate = try FetchPredicate("serial == %d", serial)
    let request = BatchDeleteRequest(fetchRequest: doomed)
    request.resultType = .resultTypeObjectIDs
    let before = stored
    stored.delete(serial)
    let gone = before.all.filter { stored.records[$0] == nil }
    let deleted = try require(try context.execute(request).objectIDs, "the IDs")
    try expectEqual(Set(deleted), Set(gone.compactMap { ids[$0] }), "the records removed (B275)")
    var changes = ManagedObjectContext.ObjectIDChanges()
    changes.deletedObjectIDs = Set(deleted)
    context.mergeChanges(changes)
    try settleElsewhere()
  }

  /// Takes a step in a child, undoes it, redoes it, and perhaps undoes it for good (B110).
  func undoInChild(_ step: WalkStep) throws {
    guard let child = frames.last?.child else { return }
    let kinds: [WalkStep.Kind] = [.insert, .set, .toOne, .add, .remove, .replace, .move]
    let manager = ChangeUndoManager()
    child.undoManager = manager
    defer { child.undoManager = nil }
    let (before, idsBefore) = (current, ids)
    try takeInChild(WalkStep(kinds[step.third % kinds.count], step.first, step.second, step.third))
    child.processPendingChanges()
    let (after, groups) = (current, manager.undoCount)
    for _ in 0..<groups { child.undo() }
    current = before
    try compareGraph()
    for _ in 0..<groups { child.redo() }
    current = after
    try compareGraph()
    // It is unknown which equal values were set, and which positions moved.
    related.formUnion(current.all)
    moved.formUnion(current.all)
    guard step.first % 2 == 0 else { return }
    for _ in 0..<groups { child.undo() }
    current = before
    ids.merge(idsBefore) { known, _ in known }
    try compareGraph()
  }

  /// Saves everything, and chooses a stored record that can be deleted: a tag with nodes denies its deletion.
  private func chosen(_ step: WalkStep) throws -> (serial: Int, id: ObjectID)? {
    try save()
    forgetHistory()
    let candidates = stored.all.filter { serial in
      stored.records[serial]?.entity != "Tag" || stored.toMany("nodes", of: serial).isEmpty
    }
    guard let serial = pick(candidates, step.first), let id = ids[serial] else { return nil }
    return (serial, id)
  }

  private func pickNumber(_ choice: Int) -> Value {
    let values = GardenModel.values(of: "number")
    return values[choice % values.count]
  }

  /// Adopts the state of the store: the context has no changes, and reads its objects again.
  private func settleElsewhere() throws {
    for serial in current.all where stored.records[serial] == nil { ids[serial] = nil }
    versions = WalkVersions()
    current = stored
    try context.refreshAllObjects()
    try compareStore()
    try compareGraph()
  }
}

/// The object IDs in a context's save notification.
private final class SavedIDs: @unchecked Sendable {
  // Sendable: the notification comes on the thread of the walk.
  private(set) var changes = ManagedObjectContext.ObjectIDChanges()
  private var token: (any NSObjectProtocol)?

  init(of context: ManagedObjectContext) {
    token = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveObjectIDsNotification, object: context, queue: nil
    ) { [weak self] note in
      self?.changes = ManagedObjectContext.ObjectIDChanges(note)
    }
  }

  deinit {
    if let token { NotificationCenter.default.removeObserver(token) }
  }
}
