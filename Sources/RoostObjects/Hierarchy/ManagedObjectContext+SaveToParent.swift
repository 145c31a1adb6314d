// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension ManagedObjectContext {
  /// Steps 5 to 10 of a child's save: the changes become changes of the parent, and no store is asked to write (B200).
  func saveToParent(_ parent: ManagedObjectContext) throws {
    try validate()
    try realize(changes.faults(.updated))
    try throwUnthrown()
    let changes = GraphChanges(of: self)
    let compared = watched.values.map(\.object.identity)
    try parent.onQueue {
      for id in compared { _ = try parent.object(with: id).readMemory() }
      try parent.take(changes)
      // Who saves the parent compares what this context wanted to be compared (B176).
      for id in compared { parent.detectConflicts(for: parent.object(with: id)) }
    }
    finishSaveToParent()
  }

  /// The objects are as saved, but their IDs stay temporary until the root is saved (B207).
  private func finishSaveToParent() {
    statistics.saves += 1
    watched = [:]
    var lists = ObjectLists()
    lists.inserted = changes.objects(.inserted)
    lists.updated = changes.objects(.updated)
    lists.deleted = changes.objects(.deleted)
    for object in lists.inserted + lists.updated {
      SaveCompletion.settle(object)
      assignments[ObjectIdentifier(object)] = nil
    }
    SaveCompletion.conclude(lists, in: self)
  }
}

extension ObjectLists {
  /// What a save wrote, by IDs.
  func committedChanges(in context: ManagedObjectContext) -> CommittedChanges {
    var changes = CommittedChanges()
    changes.inserted = inserted.map(\.identity)
    changes.updated = updated.map(\.identity)
    changes.deleted = deleted.map(\.identity)
    for object in inserted + updated where !object.isFault {
      changes.rows[object.identity] = context.rowForChild(object)
    }
    return changes
  }
}
