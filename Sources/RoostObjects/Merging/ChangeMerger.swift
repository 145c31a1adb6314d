// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel

extension ChangeMerger {
  func forgetRows(of save: MergedSave) {
    context.persistentStoreCoordinator?.forgetRows(of: save.all)
  }

  /// Takes over what others wrote, as one event, which is not this context's to undo.
  func merge(_ save: MergedSave) {
    // What was is not changed by what comes.
    guard !context.upstream.isPast else { return }
    context.events.endEvent()
    context.merging.mergedDeletions = []
    context.upstream.advanceGeneration()
    context.upstream.learnPermanentIDs()
    let inserted = newcomers(save.inserted)
    var gone = registered(save.deleted)
    let known = registered(save.inserted + save.updated + save.doubtful)
      .filter { !gone.contains($0) }
    forgetRelationships(of: save)
    do {
      gone.formUnion(try readAnew(Array(known), from: save))
    } catch {
      let stale = known.filter { !$0.isFault && !$0.flags.contains(.inserted) }
      context.readErrors.noteReadFailure(error, of: stale.map(\.identity))
    }
    let leaving = Array(gone.filter { !$0.flags.contains(.inserted) })
    leave(leaving)
    let follower = context.eventState.follower
    follower?.mergeWillBegin()
    withExtendedLifetime(inserted) { context.events.endEvent(registersUndo: false) }
    context.changes.dropRecord()
    context.merging.mergedDeletions = leaving
    var merged = ids(of: save)
    merged.refreshedObjectIDs = Set(
      registered(save.updated + save.doubtful).lazy.filter { !gone.contains($0) }.map(\.identity))
    follower?.mergeDidEnd(GraphChange(save, in: context))
    context.inbox.announce { told(of: save) }
    context.events.postDidMerge(merged)
  }

  /// How many rows are read for the contexts below. Of more they ask themselves.
  private static let mostRowsForChildren = 1_000

  /// What the contexts below are told of a merge: they see what this one sees now. A record whose deletion is pending
  /// here stays as it was for them.
  ///
  /// They are told rows that nobody has read here, too: else they would have to enter this context's queue for them,
  /// and who is on it may wait for theirs (B209).
  private func told(of save: MergedSave) -> CommittedChanges {
    var changes = CommittedChanges()
    changes.inserted = save.inserted.map(\.current)
    changes.deleted = save.deleted.map(\.current)
    changes.linked = save.linked.map(\.current)
    changes.properties = save.properties
    changes.outdatedStores = save.outdatedStores
    changes.token = save.token
    var unread: [ObjectID] = []
    for id in (save.updated + save.doubtful).lazy.map(\.current) {
      let object = context.registry.object(for: id)
      guard object?.flags.contains(.deleted) != true else { continue }
      changes.updated.append(id)
      if let object, !object.isFault {
        changes.rows[id] = context.children.rowForChild(object)
      } else if object?.changedLinks.isEmpty != false, let own = ownID(id), !own.isTemporaryID {
        unread.append(own)
      }
    }
    guard !unread.isEmpty, unread.count <= Self.mostRowsForChildren else { return changes }
    let rows = try? context.upstream.source().rows(for: unread, stalenessInterval: -1)
    for (id, row) in zip(unread, rows ?? []) { changes.rows[id] = row }
    return changes
  }

  /// Registers new records, as faults that nobody keeps (B213).
  private func newcomers(_ ids: [ObjectID]) -> [ManagedObject] {
    ids.compactMap { id in
      guard let own = ownID(id), context.registry.object(for: own) == nil else { return nil }
      let object = context.materializer.makeFault(own)
      context.changes.begin(object, .absent)
      return object
    }
  }

  /// An ID of this context's own stores: another coordinator's names entities of another model.
  func ownID(_ id: ObjectID) -> ObjectID? {
    let id = id.current
    if id.isTemporaryID { return context.parentContext == nil ? nil : id }
    return context.persistentStoreCoordinator?.attachedStore(of: id)?.objectID(forKey: id.key)
  }

  private func registered(_ ids: [ObjectID]) -> Set<ManagedObject> {
    Set(ids.lazy.compactMap { context.registry.object(for: $0.current) })
  }

  /// Reads objects anew, under what was changed here (B215); returns those whose records are gone.
  private func readAnew(
    _ objects: [ManagedObject], from save: MergedSave
  ) throws -> [ManagedObject] {
    var realized: [ManagedObject] = []
    for object in objects where !object.flags.contains(.inserted) {
      guard object.isFault else {
        realized.append(object)
        continue
      }
      // A fault forgets the row that it would have had.
      object.row = nil
      object.snapshot = nil
    }
    guard !realized.isEmpty else { return [] }
    let rows = try newRows(of: realized, from: save)
    var gone: [ManagedObject] = []
    for (object, row) in zip(realized, rows) {
      guard let row else {
        gone.append(object)
        continue
      }
      guard row.version != object.snapshot?.version || context.parentContext != nil else {
        takeDerivedValues(of: object, from: row)
        continue
      }
      // A deletion that is pending here stays one, of the version that it was made from (B176).
      if object.flags.contains(.deleted) { continue }
      context.events.noteRefresh(of: object)
      object.restoring.layChanges(over: row, winner: .object)
      object.restoring.awaken(after: .refresh)
    }
    return gone
  }

  /// Takes over what a store computed anew of a record that nobody has written.
  private func takeDerivedValues(of object: ManagedObject, from row: Row) {
    guard let known = object.snapshot,
      object.binding.slotPlan.derived.contains(where: { !row.equals(known, at: $0) })
    else { return }
    context.events.noteRefresh(of: object)
    object.restoring.takeDerivedValues(from: row)
  }

  /// The rows of objects after a save. Where a parent told them, its queue is not entered: who is on it may wait for
  /// this context's (B209, B218).
  private func newRows(of objects: [ManagedObject], from save: MergedSave) throws -> [Row?] {
    let told = objects.map { save.rows[$0.identity] }
    guard told.contains(where: { $0 == nil }) else { return told }
    context.statistics.roundTrips += 1
    return try context.upstream.source().rows(for: objects.map(\.identity), stalenessInterval: -1)
  }

  /// Lets relationships to the entities that were written be looked up anew; what was changed here stays on top.
  private func forgetRelationships(of save: MergedSave) {
    let roots = Set(save.all.map { ObjectIdentifier(ownRoot($0)) })
    guard !roots.isEmpty else { return }
    for object in context.registry.all where !object.links.isEmpty && object.isKnownBelow {
      guard !object.flags.contains(.inserted) else { continue }
      for relationship in object.binding.relationships where relationship.isToMany {
        guard let destination = relationship.destinationEntity,
          roots.contains(ObjectIdentifier(destination.rootEntity)), !relationship.isTransient,
          case .toMany(let known) = object.links[relationship.ordinal]
        else { continue }
        known.unload()
      }
    }
  }

  private func ownRoot(_ id: ObjectID) -> EntityDescription {
    (ownID(id) ?? id).entity.rootEntity
  }

  /// Lets objects go whose records were deleted by others, also those that were changed here (B220).
  private func leave(_ gone: some Sequence<ManagedObject>) {
    let gone = Array(gone)
    guard !gone.isEmpty else { return }
    for object in gone {
      context.changes.begin(object)
      context.saving.replacements.add(gone: object)
    }
    context.saver.finishReplacing()
    for object in gone {
      context.forget(object)
      object.flags.insert(.gone)
    }
  }

  private func ids(of save: MergedSave) -> ManagedObjectContext.ObjectIDChanges {
    var changes = ManagedObjectContext.ObjectIDChanges()
    changes.insertedObjectIDs = Set(save.inserted.map(\.current))
    changes.updatedObjectIDs = Set((save.updated + save.doubtful).map(\.current))
    changes.deletedObjectIDs = Set(save.deleted.map(\.current))
    return changes
  }
}
