// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
import RoostModel

// Taking over what others saved (B213 to B220).
extension ManagedObjectContext {
  /// Takes over what another context saved: objects that are registered here and were changed there are read anew and
  /// keep what was changed here, new ones are registered, deleted ones leave.
  ///
  /// Nothing becomes dirty by it. Objects that are not registered here are not read. Of the other
  /// context's objects only the IDs are used. When the objects cannot be read anew, they stay as they are and
  /// the context has a `readError`.
  ///
  /// ```swift
  /// NotificationCenter.default.addObserver(
  ///   forName: ManagedObjectContext.didSaveObjectIDsNotification, object: other, queue: nil
  /// ) { note in context.performAndWait { context.mergeChanges(fromContextDidSave: note) } }
  /// ```
  /// - Parameter notification: ``didSaveObjectsNotification`` or ``didSaveObjectIDsNotification`` of another context;
  ///   of this context it does nothing.
  /// - Complexity: At most one query a store, none where the other context has the same coordinator.
  public func mergeChanges(fromContextDidSave notification: Notification) {
    let sender = notification.object as? ManagedObjectContext
    guard sender !== self, let userInfo = notification.userInfo else { return }
    let save = MergedSave(userInfo, in: persistentStoreCoordinator)
    let isShared = sender?.persistentStoreCoordinator === persistentStoreCoordinator
    if sender == nil || !isShared { forgetRows(of: save) }
    merge(save)
  }

  /// Takes over what was written elsewhere, as by a batch request or by another process, whose rows are read from the
  /// stores.
  ///
  /// - Parameter changes: What was written.
  /// - Complexity: At most one query a store.
  public func mergeChanges(_ changes: ObjectIDChanges) {
    let save = MergedSave(changes)
    forgetRows(of: save)
    merge(save)
  }

  /// Takes over what was written elsewhere into several contexts, each on its queue.
  ///
  /// - Parameters:
  ///   - changes: IDs or URIs, in lists or sets, under the raw values of ``NotificationKey``.
  ///   - contexts: The contexts, parents before their children.
  /// - Complexity: At most one query a store and context.
  public static func mergeChanges(
    fromRemoteContextSave changes: [AnyHashable: Any], into contexts: [ManagedObjectContext]
  ) {
    for context in contexts {
      context.performAndWait {
        let save = MergedSave(changes, in: context.persistentStoreCoordinator)
        context.forgetRows(of: save)
        context.merge(save)
      }
    }
  }

  private func forgetRows(of save: MergedSave) {
    persistentStoreCoordinator?.forgetRows(of: save.all)
  }

  /// Takes over what others wrote, as one event, which is not this context's to undo.
  func merge(_ save: MergedSave) {
    endEvent()
    mergedDeletions = []
    advanceGeneration()
    learnPermanentIDs()
    let inserted = newcomers(save.inserted)
    var gone = registered(save.deleted)
    let known = registered(save.inserted + save.updated).filter { !gone.contains($0) }
    forgetRelationships(of: save)
    do {
      gone.formUnion(try readAnew(Array(known), from: save))
    } catch {
      let stale = known.filter { !$0.isFault && !$0.flags.contains(.inserted) }
      noteReadFailure(error, of: stale.map(\.identity))
    }
    let leaving = Array(gone.filter { !$0.flags.contains(.inserted) })
    leave(leaving)
    withExtendedLifetime(inserted) { endEvent(registersUndo: false) }
    changes.dropRecord()
    mergedDeletions = leaving
    var merged = ids(of: save)
    merged.refreshedObjectIDs = Set(
      registered(save.updated).lazy.filter { !gone.contains($0) }.map(\.identity))
    postDidMerge(merged)
  }

  /// Registers new records, as faults that nobody keeps (B213).
  private func newcomers(_ ids: [ObjectID]) -> [ManagedObject] {
    ids.compactMap { id in
      guard let own = ownID(id), registry.object(for: own) == nil else { return nil }
      let object = makeFault(own)
      changes.begin(object, .absent)
      return object
    }
  }

  /// An ID of this context's own stores: another coordinator's names entities of another model.
  private func ownID(_ id: ObjectID) -> ObjectID? {
    let id = id.current
    if id.isTemporaryID { return parentContext == nil ? nil : id }
    return persistentStoreCoordinator?.attachedStore(of: id)?.objectID(forKey: id.key)
  }

  private func registered(_ ids: [ObjectID]) -> Set<ManagedObject> {
    Set(ids.lazy.compactMap { self.registry.object(for: $0.current) })
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
      guard row.version != object.snapshot?.version || parentContext != nil else { continue }
      // A deletion that is pending here stays one, of the version that it was made from (B176).
      if object.flags.contains(.deleted) { continue }
      noteRefresh(of: object)
      object.layChanges(over: row, winner: .object)
      object.awaken(after: .refresh)
    }
    return gone
  }

  /// The rows of objects after a save. Where a parent told them, its queue is not entered: who is on it may wait for
  /// this context's (B209, B218).
  private func newRows(of objects: [ManagedObject], from save: MergedSave) throws -> [Row?] {
    let told = objects.map { save.rows[$0.identity] }
    guard told.contains(where: { $0 == nil }) else { return told }
    statistics.roundTrips += 1
    return try source().rows(for: objects.map(\.identity), stalenessInterval: -1)
  }

  /// Lets relationships to the entities that were written be looked up anew; what was changed here stays on top.
  private func forgetRelationships(of save: MergedSave) {
    let roots = Set(save.all.map { ObjectIdentifier(ownRoot($0)) })
    guard !roots.isEmpty else { return }
    for object in registry.all where !object.links.isEmpty && object.isKnownBelow {
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
      changes.begin(object)
      replacements.add(gone: object)
    }
    finishReplacing()
    for object in gone {
      forget(object)
      object.flags.insert(.gone)
    }
  }

  private func ids(of save: MergedSave) -> ObjectIDChanges {
    var changes = ObjectIDChanges()
    changes.insertedObjectIDs = Set(save.inserted.map(\.current))
    changes.updatedObjectIDs = Set(save.updated.map(\.current))
    changes.deletedObjectIDs = Set(save.deleted.map(\.current))
    return changes
  }
}
