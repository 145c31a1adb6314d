// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator

extension SaveEngine {
  /// Steps 5 to 10 of a child's save: the changes become changes of the parent, and no store is written (B200).
  func saveToParent(_ parent: ManagedObjectContext) throws {
    try validate()
    try context.loader.realize(context.changes.faults(.updated))
    try PositionAssignment.readPendingOrders(in: context)
    try context.readErrors.throwUnthrown()
    let changes = GraphChanges(of: context)
    let compared = context.saving.watched.values.map(\.object.identity)
    try parent.onQueue {
      for id in compared { _ = try parent.object(with: id).readMemory() }
      try parent.children.take(changes)
      // The parent's next save performs the comparisons requested in this context (B176).
      for id in compared { parent.detectConflicts(for: parent.object(with: id)) }
    }
    finishSaveToParent()
  }

  /// Marks the objects as saved; their IDs stay temporary until the root is saved (B207).
  private func finishSaveToParent() {
    context.statistics.saves += 1
    context.hasCommitted = true
    context.saving.watched = [:]
    var lists = ObjectLists()
    lists.inserted = context.changes.objects(.inserted)
    lists.updated = context.changes.objects(.updated)
    lists.deleted = context.changes.objects(.deleted)
    for object in lists.inserted + lists.updated {
      SaveCompletion.settle(object)
      context.saving.assignments[ObjectIdentifier(object)] = nil
      context.saving.reborn.remove(object.identity)
    }
    SaveCompletion.conclude(lists, in: context)
  }
}

extension ObjectLists {
  /// Returns the changes of a save by ID.
  func committedChanges(in context: ManagedObjectContext) -> CommittedChanges {
    var changes = CommittedChanges()
    changes.inserted = inserted.map(\.identity)
    changes.updated = updated.map(\.identity)
    changes.deleted = deleted.map(\.identity)
    for object in inserted + updated where !object.isFault {
      changes.rows[object.identity] = context.children.rowForChild(object)
    }
    return changes
  }
}
