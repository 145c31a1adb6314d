// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore
import Synchronization

/// Converts the changed objects of a context to one immutable value of rows and IDs.
struct ChangeSetBuilder {
  let context: ManagedObjectContext
  let coordinator: PersistentStoreCoordinator
  let inserted: ContiguousArray<ManagedObject>
  let deleted: ContiguousArray<ManagedObject>
  /// The permanent IDs of the inserted objects, parallel to `inserted`.
  let permanentIDs: [ObjectID]
  /// The index of each changed object in `inserted`; negative for objects that are not inserted. Nil if the inserted
  /// objects are the first of the changed ones, as in most saves: then the indices are the same.
  private let newPlaces: ContiguousArray<Int>?
  /// Whether this is an attempt after conflicts.
  private let isRepeated: Bool

  /// Collects the changes.
  ///
  /// - Parameter previous: An attempt that met conflicts: new objects keep the IDs reserved for it.
  init(
    context: ManagedObjectContext, coordinator: PersistentStoreCoordinator,
    reusing previous: ChangeSetBuilder? = nil
  ) throws {
    self.context = context
    self.coordinator = coordinator
    isRepeated = previous != nil
    let inserted = context.changes.objects(.inserted)
    self.inserted = inserted
    var deleted = context.changes.objects(.deleted)
    var isWhole = true
    deleted.forEachHeld { if $0.flags.contains(.inaccessible) { isWhole = false } }
    if !isWhole { deleted.removeAll { $0.flags.contains(.inaccessible) } }
    self.deleted = deleted
    let ids = try context.saver.choosePermanentIDs(
      for: inserted, reserved: previous?.reservedIDs() ?? [:])
    permanentIDs = ids
    // The list is in the order of the indices: if the last inserted object is where it would be without others and
    // without holes, so are all before it.
    let areFirst = inserted.last.map { Int($0.trackingIndex) == inserted.count - 1 } ?? true
    newPlaces =
      areFirst ? nil : Self.places(of: inserted, among: context.changes.entries.count)
  }

  private static func places(
    of inserted: ContiguousArray<ManagedObject>, among count: Int
  ) -> ContiguousArray<Int> {
    var places = ContiguousArray<Int>()
    places.reserveCapacity(count)
    for _ in 0..<count { places.append(-1) }
    var next = 0
    inserted.forEachHeld { object in
      places[Int(object.trackingIndex)] = next
      next += 1
    }
    return places
  }

  /// Builds the request for the coordinator.
  func build() throws -> CommitRequest {
    let request = CommitRequest(
      origin: context.changeOrigin, sender: ObjectIdentifier(context.inbox))
    if coordinator.managedObjectModel.hasRelationshipsAcrossStores {
      try settleReferences(of: request)
    }
    let new = InsertedRecords(ids: permanentIDs, rows: try insertedRows(request))
    request.write(new, updated: try updatedRecords(request), deleted: deletedRecords())
    if context.changes.mayHaveLinkTables {
      context.changes.entries.forEachHeld { object in
        if object.binding.hasLinkTables { addLinks(of: object, to: request) }
      }
    }
    if !context.saving.watched.isEmpty { addWatched(to: request) }
    if CoordinatorHistory(of: coordinator).isKept { addRelationshipChanges(to: request) }
    if !context.saving.reverts.isEmpty { addReverts(to: request) }
    if let undoGroup = context.saving.undoGroup { request.undoGroup = undoGroup.id }
    if !context.saving.userValues.isEmpty { request.userValues = context.saving.userValues }
    return request
  }

  private func updatedRecords(_ request: CommitRequest) throws -> UpdatedRecords {
    guard context.changes.updatedCount > 0 else { return UpdatedRecords() }
    var updates = UpdateCollector(capacity: context.changes.updatedCount)
    try context.changes.forEach(.updated) { object in
      try addUpdate(of: object, to: request, &updates)
    }
    if isRepeated { try updates.checkIDs() }
    return updates.records
  }

  private func deletedRecords() -> [RecordVersion] {
    guard !deleted.isEmpty else { return [] }
    var records: [RecordVersion] = []
    records.reserveCapacity(deleted.count)
    deleted.forEachHeld { object in
      guard let version = object.snapshot?.version else { return }
      records.append(RecordVersion(id: object.identity, version: version))
    }
    return records
  }

  /// Makes the stores assign numbers to the foreign records that rows will refer to, all at once.
  private func settleReferences(of request: CommitRequest) throws {
    context.changes.entries.forEachHeld { object in
      guard object.knowsLinks, !object.flags.contains(.deleted) else { return }
      for (relationship, _) in object.binding.references where relationship.leadsAcrossStores {
        guard case let destination?? = object.related.knownDestination(relationship.ordinal)
        else { continue }
        request.refer(to: id(of: destination), from: id(of: object))
      }
    }
    try request.settleReferences(in: coordinator)
  }

  /// Returns the rows of the inserted objects, in their order.
  private func insertedRows(_ request: CommitRequest) throws -> [Row] {
    var rows: [Row] = []
    rows.reserveCapacity(inserted.count)
    let reborn = context.saving.reborn
    try inserted.forEachHeld { object in
      let id = permanentIDs[rows.count]
      let version = reborn.isEmpty ? 1 : reborn.firstVersion(of: id)
      rows.append(try finishedRow(of: object, id: id, version: version, request: request))
    }
    return rows
  }

  /// Adds changed to-many relationships: the owner's row does not show the change, but the history has to.
  private func addRelationshipChanges(to request: CommitRequest) {
    context.changes.forEach(.updated) { object in
      let names = object.values.changedRelationships().lazy.filter(\.isToMany).map(\.name)
      guard !names.isEmpty else { return }
      request.relationships.append(RelationshipChange(id: object.identity, names: Array(names)))
    }
  }

  /// Adds the transactions that this save reverts.
  private func addReverts(to request: CommitRequest) {
    var written = Set(request.inserted.ids + request.updated.ids)
    written.formUnion(request.deleted.map(\.id))
    for link in request.links { written.formUnion([link.source, link.destination]) }
    // A new order is a change of the owner, whose row is not written.
    written.formUnion(request.relationships.map(\.id))
    for revert in context.saving.reverts where !revert.changed.isDisjoint(with: written) {
      context.saving.namedReverts += 1
      for (store, number) in revert.transactions {
        request.reverted[store, default: []].append(number)
      }
    }
  }

  /// Adds objects that are not written, but must be unchanged in the store (B174).
  private func addWatched(to request: CommitRequest) {
    let written = Set(request.updated.ids + request.deleted.map(\.id))
    for (id, watch) in context.saving.watched {
      let isLocked = !written.contains(watch.object.identity)
      context.saving.watched[id]?.isLocked = isLocked
      guard isLocked, let version = watch.object.snapshot?.version else { continue }
      request.locked.append(RecordVersion(id: watch.object.identity, version: version))
    }
  }

  /// The IDs assigned to new objects, to be reused by another attempt.
  private func reservedIDs() -> [ObjectIdentifier: ObjectID] {
    var result: [ObjectIdentifier: ObjectID] = [:]
    for (object, id) in zip(inserted, permanentIDs) { result[ObjectIdentifier(object)] = id }
    return result
  }

  /// Makes the permanent IDs of the new objects final; the objects stay inserted (B28).
  func settleIDs() {
    for (object, id) in zip(inserted, permanentIDs) { context.saver.becomePermanent(object, id) }
  }

  /// Returns the objects by their IDs in the request.
  func objectsByID() -> [ObjectID: ManagedObject] {
    var result: [ObjectID: ManagedObject] = [:]
    for case let object? in context.changes.entries { result[object.identity] = object }
    for (object, id) in zip(inserted, permanentIDs) { result[id] = object }
    return result
  }

  private func addUpdate(
    of object: ManagedObject, to request: CommitRequest, _ updates: inout UpdateCollector
  ) throws {
    // A fault that was changed through an inverse, and whose record is gone.
    guard let base = object.snapshot else {
      throw ManagedObjectContext.missingRecord(object.identity)
    }
    if !object.changedLinks.isEmpty, !object.binding.references.isEmpty {
      for relationship in object.values.changedRelationships() {
        if case .toOne = relationship.storage { object.makeRowOwn() }
      }
    }
    guard let own = object.row, !own.isIdentical(to: base) else { return }
    // Values set for derived attributes have no effect: the store computes them (B309).
    if !object.binding.slotPlan.derived.isEmpty {
      for slot in object.binding.slotPlan.derived { own.copySlot(slot, from: base) }
    }
    let row = try finishedRow(
      of: object, id: object.identity, version: base.version &+ 1, request: request)
    let slots = row.changedSlots(
      from: base, among: object.binding.slotPlan.stored, likely: updates.likelySlots)
    updates.expect(slots)
    guard !slots.isEmpty else {
      // Nothing is written: the row becomes the snapshot of a record with an unchanged version (B55).
      own.identify(key: own.key, version: base.version)
      return
    }
    updates.append(
      RowUpdate(row: row, baseVersion: base.version, changedSlots: slots),
      of: object.identity.scope)
  }

  /// Returns the object's row with its relationships' keys, its own key and its new version.
  private func finishedRow(
    of object: ManagedObject, id: ObjectID, version: Int64, request: CommitRequest
  ) throws -> Row {
    guard var row = object.row else {
      throw ManagedObjectContext.missingRecord(object.identity)
    }
    if object.knowsLinks { writeReferences(of: object, id: id, into: row, request: request) }
    // All stores keep a single zero: a negative zero is saved as zero.
    for slot in object.binding.slotPlan.doubles where !row.isNull(slot) && row.double(slot) == 0 {
      row.setDouble(0, at: slot)
    }
    row.identify(key: id.key, version: version)
    if object.binding.slotPlan.hasTransient {
      row = row.copy()
      for slot in object.binding.slotPlan.transient { row.setNull(slot) }
    }
    return row
  }

  private func writeReferences(
    of object: ManagedObject, id: ObjectID, into row: Row, request: CommitRequest
  ) {
    for (relationship, slot) in object.binding.references {
      guard let destination = object.related.knownDestination(relationship.ordinal) else {
        continue
      }
      guard let destination else {
        row.setNull(slot)
        continue
      }
      let destinationID = self.id(of: destination)
      // Usually both are in one store, which can be determined here.
      if let store = id.storeIdentity, destinationID.storeIdentity === store {
        row.setInteger(destinationID.key, at: slot)
      } else {
        row.setInteger(request.key(of: destinationID, from: id, along: relationship), at: slot)
      }
    }
  }

  /// Adds the links of to-many relationships that are not in a row. The owner's side represents both, but each
  /// ordered side adds its own positions.
  private func addLinks(of object: ManagedObject, to request: CommitRequest) {
    guard !object.links.isEmpty else { return }
    for relationship in object.binding.relationships {
      guard case .links(let table, let isForward) = relationship.storage,
        case .toMany(let links) = object.links[relationship.ordinal], links.hasChanges
      else { continue }
      let own = id(of: object)
      func record(_ other: ManagedObject, _ kind: LinkChange.Kind) {
        let otherID = id(of: other)
        request.links.append(
          LinkRecord(
            table: table, source: isForward ? own : otherID, destination: isForward ? otherID : own,
            kind: kind))
      }
      for other in links.removed.values { record(other, .unlink) }
      guard relationship.isOrdered else {
        if isForward || relationship.maintainedInverse == nil {
          for other in links.added { record(other, .link(position: nil, inversePosition: nil)) }
        }
        continue
      }
      for (other, position) in links.changedPositions() {
        record(
          other,
          isForward
            ? .link(position: position, inversePosition: nil)
            : .link(position: nil, inversePosition: position))
      }
    }
  }

  private func id(of object: ManagedObject) -> ObjectID {
    let place = Int(object.trackingIndex)
    guard place >= 0 else { return object.identity }
    guard let newPlaces else {
      return place < permanentIDs.count ? permanentIDs[place] : object.identity
    }
    guard place < newPlaces.count, newPlaces[place] >= 0 else { return object.identity }
    return permanentIDs[newPlaces[place]]
  }
}

extension ManagedObjectContext {
  /// The author and context name of the changes, for the stores.
  fileprivate var changeOrigin: StoreChangeSet.Origin {
    settings.withLock { StoreChangeSet.Origin(author: $0.transactionAuthor, contextName: $0.name) }
  }
}
