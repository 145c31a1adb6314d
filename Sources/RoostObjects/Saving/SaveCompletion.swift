// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

/// Updates the graph after the stores have written: IDs, snapshots, didSave.
struct SaveCompletion {
  let context: ManagedObjectContext
  let builder: ChangeSetBuilder

  /// Makes the changes the saved state.
  ///
  /// - Parameter isComplete: Whether all stores wrote their part; otherwise the changes for the others stay pending.
  func finish(_ summary: CommitSummary, isComplete: Bool) {
    func isSaved(_ id: ObjectID) -> Bool { isComplete || summary.contains(id) }
    var lists = ObjectLists()
    context.saver.finishWatching(summary)
    context.statistics.roundTrips += summary.stores.count
    context.statistics.saves += 1
    context.hasCommitted = true
    context.saving.endReverts()
    var next = 0
    builder.inserted.forEachHeld { object in
      let id = builder.permanentIDs[next]
      next += 1
      guard isSaved(id) else { return }
      context.saver.becomePermanent(object, id)
      context.saving.reborn.remove(id)
      Self.settle(object)
      if !isComplete { lists.inserted.append(object) }
    }
    if isComplete { lists.inserted = builder.inserted }
    lists.updated = context.changes.objects(.updated)
    if !isComplete { lists.updated.removeAll { !isSaved($0.identity) } }
    lists.updated.forEachHeld { Self.settle($0) }
    for (id, row) in summary.recomputed {
      context.registeredObject(for: id)?.restoring.takeDerivedValues(from: row)
    }
    lists.deleted = context.changes.objects(.deleted)
    if !isComplete {
      lists.deleted.removeAll { !$0.flags.contains(.inaccessible) && !isSaved($0.identity) }
    }
    SaveCompletion.conclude(
      lists, recomputed: summary.recomputed, in: context, summary.token)
  }

  /// Ends a save whose objects are settled: announces it to children, calls didSave, and posts its notifications.
  ///
  /// - Parameters:
  ///   - recomputed: The rows whose derived values the store has recomputed.
  ///   - token: The history token after the save, if known.
  static func conclude(
    _ lists: ObjectLists, recomputed: [(id: ObjectID, row: Row)] = [],
    in context: ManagedObjectContext, _ token: PersistentHistoryToken? = nil
  ) {
    context.changes.forget(lists.inserted, lists.updated)
    context.upstream.advanceGeneration()
    if context.inbox.hasChildren {
      context.inbox.announce { lists.committedChanges(in: context) }
    }
    lists.inserted.forEachHeld { $0.didSave() }
    lists.updated.forEachHeld { $0.didSave() }
    lists.deleted.forEachHeld { $0.didSave() }
    context.changes.forget(lists.deleted)
    for object in lists.deleted {
      // A deleted object has no context after the save (B90).
      context.forget(object)
      object.flags.insert(.gone)
    }
    if let follower = context.eventState.follower {
      follower.didSave(GraphChange(saved: lists, recomputed: recomputed, in: context))
    }
    if context.events.areSavesHeard, !lists.isEmpty { context.events.postDidSave(lists, token) }
  }

  /// Makes the current values the committed ones.
  static func settle(_ object: ManagedObject) {
    if object.binding.slotPlan.hasTransient, let row = object.row {
      let committed = row.copy()
      for slot in object.binding.slotPlan.transient { committed.setNull(slot) }
      object.snapshot = committed
    } else {
      object.snapshot = object.row
    }
    object.settled.removeAll()
    object.changedSlots.removeAll()
    object.changedLinks.removeAll()
    guard object.binding.hasToManyRelationships else { return }
    for state in object.links {
      if case .toMany(let links) = state { links.commit() }
    }
  }
}
