// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel

extension ChangeMerger {
  func forgetRows(of save: MergedSave) {
    context.persistentStoreCoordinator?.forgetRows(of: save.all)
  }

  /// Merges the saves of others as one event, which this context does not undo.
  func merge(_ save: MergedSave) {
    // New saves do not change a past state.
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

  /// The maximum number of rows read for child contexts. If there are more, children read them by themselves.
  private static let mostRowsForChildren = 1_000

  /// Returns the changes to announce to child contexts after a merge: children see what this context sees now. A
  /// record whose deletion is pending here stays unchanged for them.
  ///
  /// Rows that this context has not read are included: otherwise children would have to enter this context's queue
  /// for them, while code on that queue may be waiting for theirs (B209).
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

  /// Registers new records, as faults that are not retained (B213).
  private func newcomers(_ ids: [ObjectID]) -> [ManagedObject] {
    ids.compactMap { id in
      guard let own = ownID(id), context.registry.object(for: own) == nil else { return nil }
      let object = context.materializer.makeFault(own)
      context.changes.begin(object, .absent)
      return object
    }
  }

  /// Returns an ID of this context's own stores: an ID of another coordinator has an entity of another model.
  func ownID(_ id: ObjectID) -> ObjectID? {
    let id = id.current
    if id.isTemporaryID { return context.parentContext == nil ? nil : id }
    return context.persistentStoreCoordinator?.attachedStore(of: id)?.objectID(forKey: id.key)
  }

  private func registered(_ ids: [ObjectID]) -> Set<ManagedObject> {
    Set(ids.lazy.compactMap { context.registry.object(for: $0.current) })
  }

  /// Re-reads objects, below their unsaved changes (B215); returns those whose records are gone.
  private func readAnew(
    _ objects: [ManagedObject], from save: MergedSave
  ) throws -> [ManagedObject] {
    var realized: [ManagedObject] = []
    for object in objects where !object.flags.contains(.inserted) {
      guard object.isFault else {
        realized.append(object)
        continue
      }
      // The fault drops its cached row, and the values of a request for some properties.
      (object.fetchGroup as? PartialRows)?.forget(object.identity)
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
      // A pending deletion stays one, of the version on which it is based (B176).
      if object.flags.contains(.deleted) {
        // A rollback makes it a fault, and does not bring the old values back.
        context.saving.outdatedRecords.insert(object.identity.current)
        continue
      }
      context.events.noteRefresh(of: object)
      object.restoring.layChanges(over: row, winner: .object)
      object.restoring.awaken(after: .refresh)
    }
    return gone
  }

  /// Takes over values that a store recomputed for an unchanged record.
  private func takeDerivedValues(of object: ManagedObject, from row: Row) {
    guard let known = object.snapshot,
      object.binding.slotPlan.derived.contains(where: { !row.equals(known, at: $0) })
    else { return }
    context.events.noteRefresh(of: object)
    object.restoring.takeDerivedValues(from: row)
  }

  /// Returns the rows of objects after a save. If a parent has announced them, its queue is not entered: code on that
  /// queue may be waiting for this context's (B209, B218).
  private func newRows(of objects: [ManagedObject], from save: MergedSave) throws -> [Row?] {
    let told = objects.map { save.rows[$0.identity] }
    guard told.contains(where: { $0 == nil }) else { return told }
    context.statistics.roundTrips += 1
    return try context.upstream.source().rows(for: objects.map(\.identity), stalenessInterval: -1)
  }

  /// Makes relationships to the written entities load again; unsaved changes stay.
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

  /// Removes objects whose records were deleted by others, including those with unsaved changes (B220).
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
