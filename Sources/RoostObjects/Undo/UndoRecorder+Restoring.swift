// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Undoing an event. The undo is an event itself, whose record is the redo.
extension UndoRecorder {
  /// Reverts an event: first deleted objects come back, so that they can be related; inserted objects leave last. It
  /// is done as a whole or not at all: when an object to change cannot be read, the failure is recorded and the undo
  /// record is kept.
  func restore(_ kept: KeptUndo) {
    let record = kept.record
    guard readForUndo(record) else {
      keepForAnotherAttempt(kept)
      return
    }
    let back = record.departed.filter { revive($0) }.map(\.object)
    var changed = restoreValues(record)
    for step in record.steps.reversed() {
      retrace(step)
      changed.append(step.place.owner)
    }
    for object in back { object.restoring.returnToOwners() }
    judgeOrders(record)
    let leaving = record.arrived.filter { $0.context === context && !$0.isLeaving }
    var seen = Set((back + leaving).lazy.map(ObjectIdentifier.init))
    let updated = changed.filter {
      $0.context === context && seen.insert(ObjectIdentifier($0)).inserted
    }
    for object in back { object.restoring.awaken(after: .undoDeletion) }
    for object in updated { object.restoring.awaken(after: .undoUpdate) }
    for object in leaving { object.restoring.awaken(after: .undoInsertion) }
    for object in leaving { context.deletion.markDeleted(object) }
    context.readErrors.propagateDeletesOrWait()
    for object in record.clean { forgetIfClean(object) }
    context.processPendingChanges()
  }

  /// Keeps an event whose undo, or redo, has failed as the next one. A manager of another class registers it as the
  /// reverse: with that, a redo makes the attempt.
  private func keepForAnotherAttempt(_ kept: KeptUndo) {
    guard let manager = context.undoManager as? ChangeUndoManager else {
      context.undoManager?.registerUndo(of: context) { $0.undoRecorder.restore(kept) }
      return
    }
    manager.keepFailed(of: context) { $0.undoRecorder.restore(kept) }
  }

  /// Reads the faults that the undo changes, and the relationships whose order it restores. Returns false on a failure,
  /// which is recorded.
  private func readForUndo(_ record: UndoRecord) -> Bool {
    var faults = ContiguousArray<ManagedObject>()
    for values in record.values { faults.append(values.object) }
    for step in record.steps { faults.append(step.place.owner) }
    faults.removeAll { !$0.isFault || $0.context !== context || !$0.isKnownBelow || $0.isLeaving }
    do throws(PersistenceError) {
      if !faults.isEmpty { try context.loader.realize(faults) }
      for step in record.steps where step.needsOrder {
        let (owner, ordinal) = step.place
        guard owner.context === context, owner.isKnownBelow, !owner.isLeaving else { continue }
        faults.append(owner)
        _ = try owner.related.readLinks(owner.binding.relationships[ordinal])
      }
      return true
    } catch {
      context.readErrors.noteReadFailure(error, of: faults.map(\.identity))
      return false
    }
  }

  /// Restores an object that was deleted, or whose insertion was undone. Its awakeFromInsert is not called again
  /// (B21). Returns false when it cannot be restored.
  private func revive(_ departure: UndoRecord.Departure) -> Bool {
    let object = departure.object
    if object.context === context {
      guard object.flags.contains(.deleted) else { return false }
      context.changes.noteRevival(of: object)
      return true
    }
    guard object.context == nil, let row = object.row,
      context.registry.object(for: object.identity) == nil
    else { return false }
    context.saving.reborn.note(object.identity, lastVersion: row.version)
    // The row was passed to the store when it was saved; a record that is written again has no version yet.
    let own = row.copy(version: 0)
    object.row = own
    object.memory = own.base
    object.snapshot = nil
    object.settled.removeAll()
    object.links = LinkStates()
    object.changedLinks.removeAll()
    object.flags.subtract([.gone, .propagated])
    object.context = context
    context.adopt(object)
    context.changes.noteInsertion(of: object)
    object.restoring.takeLinks(departure.standing)
    return true
  }

  private func restoreValues(_ record: UndoRecord) -> ContiguousArray<ManagedObject> {
    var changed = ContiguousArray<ManagedObject>()
    for values in record.values {
      let object = values.object
      guard object.context === context, !object.isLeaving else { continue }
      for slot in values.slots {
        guard object.willWrite(slot) != nil else { break }
        object.row?.copySlot(slot, from: values.row)
      }
      changed.append(object)
    }
    return changed
  }

  /// Reverts one step of a relationship change, on its side.
  private func retrace(_ step: LinkStep) {
    let (owner, ordinal) = step.place
    guard owner.context === context else { return }
    let relationship = owner.binding.relationships[ordinal]
    owner.editor.noteLinkChange(relationship)
    switch step {
    case .pointed(_, _, let old):
      let now = owner.related.destination(ordinal)
      let destination = old.flatMap { canLead(relationship, to: $0) ? $0 : nil }
      if now !== destination { owner.editor.point(ordinal, at: destination, insteadOf: now) }
    case .added(_, _, let object, let wasRemoved):
      owner.editor.takeBackAddition(of: object, to: relationship, wasRemoved: wasRemoved)
    case .removed(_, _, let object, let place, let wasAdded):
      guard canLead(relationship, to: object),
        owner.editor.takeBackRemoval(of: object, from: relationship, wasAdded: wasAdded)
      else { return }
      let links = owner.related.toManyLinks(relationship)
      guard let place, place < links.members.count - 1 else { return }
      var members = links.members
      members.removeLast()
      members.insert(object, at: place)
      owner.editor.reorder(relationship, members)
    case .ordered(_, _, let old):
      let links = owner.related.toManyLinks(relationship)
      guard links.isLoaded else { return }
      let known = Set(old.lazy.map(ObjectIdentifier.init))
      let present = old.filter { links.contains($0) == true }
      let rest = links.members.filter { !known.contains(ObjectIdentifier($0)) }
      owner.editor.reorder(relationship, ContiguousArray(present + rest))
    }
  }

  /// Whether a relationship may be set back to an object: a deleted object can only be a destination without an
  /// inverse, as before.
  private func canLead(_ relationship: RelationshipDescription, to object: ManagedObject) -> Bool {
    object.context === context
      || object.flags.contains(.gone) && relationship.maintainedInverse == nil
  }

  /// Restoring the stored order is no change.
  private func judgeOrders(_ record: UndoRecord) {
    for step in record.steps {
      let (owner, ordinal) = step.place
      guard owner.context === context, owner.binding.relationships[ordinal].isOrdered,
        !owner.links.isEmpty, case .toMany(let links) = owner.links[ordinal]
      else { continue }
      links.forgetStoredOrder()
    }
  }

  /// Clears the changes of an object that had none before the event, if it has none now.
  private func forgetIfClean(_ object: ManagedObject) {
    guard object.context === context, object.flags.contains(.updated),
      !object.hasPersistentChangedValues
    else { return }
    object.restoring.forgetChanges()
  }
}
