// SPDX-License-Identifier: Apache-2.0

import RoostModel

// The parent's side of a child's save; called on the parent's queue.
extension ChildRequests {
  /// Applies a child's changes: they override pending changes here (B200, B208). They are one event.
  ///
  /// - Throws: `objectReferentialIntegrity` for an object that is gone; nothing is changed then.
  func take(_ changes: GraphChanges) throws {
    context.processPendingChanges()
    context.upstream.learnPermanentIDs()
    let standing = try standing(changes.inserted)
    let known = try objects(of: changes)
    var objects: [ObjectID: ManagedObject] = [:]
    for object in known { objects[object.identity] = object }
    try readSides(of: changes, objects)
    for insertion in changes.inserted {
      let id = insertion.id.current
      guard let object = standing[id] else {
        objects[id] = insert(insertion)
        continue
      }
      takeBack(object, as: insertion)
      objects[id] = object
    }
    for update in changes.updated {
      guard let object = objects[update.id.current] else { continue }
      for slot in update.slots {
        guard let row = object.row, !row.equals(update.row, at: slot) else { continue }
        guard object.willWrite(slot) != nil else { continue }
        object.row?.copySlot(slot, from: update.row)
      }
    }
    relate(changes, objects)
    for object in standing.values
    where object.flags.contains(.updated) && !object.hasPersistentChangedValues {
      object.restoring.forgetChanges()
    }
    for id in changes.deleted {
      let object = context.object(with: id)
      if !object.isLeaving { context.delete(object) }
    }
    context.processPendingChanges()
  }

  /// Returns the objects that a child changed, with their values; pending deletions of them are taken back.
  private func objects(of changes: GraphChanges) throws -> [ManagedObject] {
    let new = Set(changes.inserted.map(\.id))
    var ids: [ObjectID] = changes.updated.map(\.id)
    ids += changes.destinations.flatMap { [$0.id] + ($0.destination.map { [$0] } ?? []) }
    ids += changes.members.flatMap { [$0.id] + $0.added + $0.removed }
    var seen = Set<ObjectID>()
    let objects = ids.filter { !new.contains($0) && seen.insert($0.current).inserted }
      .map { context.object(with: $0) }
    let faults = objects.filter { $0.isFault && !$0.flags.contains(.deleted) }
    let gone = Set(changes.deleted.map(\.current))
    let rows = try context.upstream.source().rows(
      for: faults.map(\.identity), stalenessInterval: -1)
    for (object, row) in zip(faults, rows) where row == nil && !gone.contains(object.identity) {
      throw ManagedObjectContext.missingRecord(object.identity)
    }
    for (object, row) in zip(faults, rows) {
      if let row, object.isFault { _ = object.restoring.awake(with: row) }
    }
    var changed = Set(changes.updated.map(\.id.current))
    // The destinations of the child's changes exist for the child.
    changed.formUnion(changes.destinations.compactMap { $0.destination?.current })
    changed.formUnion(changes.members.flatMap { $0.added.map(\.current) })
    for object in objects where object.flags.contains(.deleted) && changed.contains(object.identity)
    {
      object.restoring.revive()
    }
    return objects
  }

  /// Reads the data needed to change the relationships: the old destinations, their inverses, and all destinations of
  /// an ordered relationship. No change is made before all of it is read.
  private func readSides(
    of changes: GraphChanges, _ objects: [ObjectID: ManagedObject]
  ) throws(PersistenceError) {
    for change in changes.destinations {
      guard let object = objects[change.id.current],
        let relationship = object.binding.relationship(named: change.name)
      else { continue }
      let destination = change.destination.flatMap { objects[$0.current] }
      try object.related.readSides(of: relationship, to: destination.map { [$0] } ?? [])
    }
    for change in changes.members where change.order != nil {
      guard let object = objects[change.id.current],
        let relationship = object.binding.relationship(named: change.name)
      else { continue }
      _ = try object.related.readLinks(relationship)
    }
  }

  private func insert(_ insertion: GraphChanges.Insertion) -> ManagedObject {
    let id = insertion.id.current
    let object = context.registry.object(for: id) ?? context.materializer.makeFault(id)
    let row = insertion.row.copy()
    object.row = row
    object.memory = row.base
    object.snapshot = nil
    // The child called awakeFromInsert, and its changes are included (B21).
    object.flags.insert(.awoken)
    context.changes.noteInsertion(of: object)
    for slot in insertion.slots { object.changedSlots.insert(slot.index) }
    if let store = insertion.store { context.saving.assignments[ObjectIdentifier(object)] = store }
    if let version = insertion.lastVersion { context.saving.reborn.note(id, lastVersion: version) }
    return object
  }

  private func relate(_ changes: GraphChanges, _ objects: [ObjectID: ManagedObject]) {
    for change in changes.destinations {
      guard let object = objects[change.id.current],
        let relationship = object.binding.relationship(named: change.name)
      else { continue }
      let destination = change.destination.flatMap { objects[$0.current] }
      if change.destination != nil, destination == nil { continue }
      object.editor.setDestination(relationship, destination)
    }
    for change in changes.members {
      guard let object = objects[change.id.current],
        let relationship = object.binding.relationship(named: change.name)
      else { continue }
      for id in change.removed {
        if let member = objects[id.current] {
          object.editor.removeDestination(relationship, member)
        }
      }
      for id in change.added {
        if let member = objects[id.current] { object.editor.addDestination(relationship, member) }
      }
      if let order = change.order { object.restoring.reorder(relationship, order.map(\.current)) }
    }
    // The child may have changed either side first, so its order of the members applies.
    for change in changes.members where change.order == nil && change.added.count > 1 {
      guard let object = objects[change.id.current],
        let relationship = object.binding.relationship(named: change.name), relationship.isOrdered
      else { continue }
      object.restoring.reorderAdditions(
        relationship, change.added.compactMap { objects[$0.current] })
    }
  }
}
