// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

/// The steps of reverting a transaction: first restore the removed objects, so that they can be related, then values
/// and relationships, then orders; last, delete the inserted objects.
struct RevertRun {
  let context: ManagedObjectContext
  private let basis: RevertBasis
  private let isForced: Bool
  private(set) var outcome = Reverting.Outcome()
  /// Whether each record that the transaction touched or referred to exists, or is being restored.
  private var isThere: [ObjectID: Bool] = [:]
  /// The properties that were changed since, on this side or on the inverse one.
  private var blocked: Set<Reverting.Outcome.Place> = []
  /// The properties of inserted records that have unsaved changes from before the revert.
  private var unsaved: [ObjectID: Set<String>] = [:]
  /// The ordered relationships with recorded positions of their destinations.
  private var orders = RevertOrders()

  init(_ basis: RevertBasis, in context: ManagedObjectContext, isForced: Bool) {
    self.basis = basis
    self.context = context
    self.isForced = isForced
  }

  mutating func run() throws {
    try lookUp()
    for record in basis.records where record.kind == .insert {
      unsaved[record.id] = unsavedProperties(of: record.id)
    }
    for record in basis.records where record.kind == .update { try findConflicts(in: record) }
    for record in basis.records where record.kind == .delete { bringBack(record) }
    for record in basis.records where record.kind != .insert { try putBack(record) }
    for link in basis.links { try putBack(link) }
    try orders.apply(in: context) { outcome.changed.insert($0) }
    try removeInserted()
  }

  /// Determines which records that the transaction touched or referred to exist, in one request, which also caches
  /// their rows for the next steps.
  private mutating func lookUp() throws {
    var ids = Set(basis.records.map(\.id))
    for link in basis.links { ids.formUnion([link.source, link.destination]) }
    for record in basis.records {
      for index in record.slots {
        guard case .reference(let relationship) = record.previous.layout.contents[index],
          let key = record.previous.reference(record.previous.layout.slots[index]),
          let id = try id(of: key, besides: record.id, relationship)
        else { continue }
        ids.insert(id)
      }
    }
    let wanted = Array(ids)
    guard !wanted.isEmpty else { return }
    for (id, row) in zip(wanted, try context.saver.storedRows(for: wanted)) {
      isThere[id] = row != nil
    }
    for record in basis.records { isThere[record.id] = record.current != nil }
    for object in context.changes.objects(.inserted) where ids.contains(object.identity) {
      isThere[object.identity] = true
    }
    for object in context.changes.objects(.deleted) where ids.contains(object.identity) {
      isThere[object.identity] = false
    }
  }

  // MARK: - Conflicts

  /// Records the properties that were changed since, or have unsaved changes in this context.
  private mutating func findConflicts(in record: RevertBasis.Record) throws {
    guard record.current != nil else {
      // A later deletion wins: there is no record to give the values to.
      if !record.slots.isEmpty { outcome.conflicts.append(.init(id: record.id, property: nil)) }
      return
    }
    guard !isForced else { return }
    let binding = EntityBinding.binding(of: record.id.entity)
    var names = unsavedProperties(of: record.id).intersection(
      record.slots.compactMap { binding.propertyName(ofSlot: $0) })
    for slot in record.changedSince {
      if let name = binding.propertyName(ofSlot: slot) { names.insert(name) }
    }
    for name in names.sorted() {
      let place = Reverting.Outcome.Place(id: record.id, property: name)
      outcome.conflicts.append(place)
      blocked.insert(place)
      try block(otherEndOf: name, record)
    }
  }

  /// Restores a one-to-one relationship on both sides or on none.
  private mutating func block(otherEndOf name: String, _ record: RevertBasis.Record) throws {
    guard let relationship = record.id.entity.relationshipsByName[name], !relationship.isToMany,
      let inverse = relationship.maintainedInverse, !inverse.isToMany, let slot = relationship.slot
    else { return }
    for key in [record.previous.reference(slot), record.current?.reference(slot)] {
      guard let id = try key.flatMap({ try id(of: $0, besides: record.id, relationship) }) else {
        continue
      }
      blocked.insert(.init(id: id, property: inverse.name))
    }
  }

  private func unsavedProperties(of id: ObjectID) -> Set<String> {
    guard let object = context.registeredObject(for: id), object.hasChanges else { return [] }
    return Set(object.changedValues().keys)
  }

  // MARK: - Records

  /// Restores a record that the transaction removed.
  private mutating func bringBack(_ record: RevertBasis.Record) {
    let object = context.object(with: record.id)
    guard record.current == nil, !object.isInserted else {
      outcome.conflicts.append(.init(id: record.id, property: nil))
      return
    }
    let row = object.binding.makeDefaultRow()
    for index in record.slots {
      // A record without an owner keeps its last position, which earlier transactions may refer to.
      if case .reference = row.layout.contents[index] { continue }
      row.copySlot(row.layout.slots[index], from: record.previous)
    }
    object.restoring.beginAnew(with: row, lastVersion: record.lastVersion)
    object.restoring.awaken(after: .undoDeletion)
    isThere[record.id] = true
    outcome.changed.insert(record.id)
  }

  /// Removes the records that the transaction inserted, except those that were changed or used since.
  private mutating func removeInserted() throws {
    var leaving: [ManagedObject] = []
    for record in basis.records where record.kind == .insert && record.current != nil {
      let binding = EntityBinding.binding(of: record.id.entity)
      var names = (unsaved[record.id] ?? []).union(record.grownSince)
      for slot in record.changedSince {
        if let name = binding.propertyName(ofSlot: slot) { names.insert(name) }
      }
      guard isForced || names.isEmpty else {
        outcome.conflicts += names.sorted().map { .init(id: record.id, property: $0) }
        continue
      }
      let object = try context.existingObject(with: record.id)
      if !object.isDeleted { leaving.append(object) }
    }
    var removal = RevertRemoval(of: leaving, in: context)
    if !isForced { outcome.conflicts += try removal.excludeOwners() }
    for object in removal.objects {
      if !object.isDeleted { context.delete(object) }
      outcome.changed.insert(object.identity)
    }
  }

  // MARK: - Values

  private mutating func putBack(_ record: RevertBasis.Record) throws {
    guard isThere[record.id] == true, record.kind == .delete || record.current != nil,
      !outcome.conflicts.contains(.init(id: record.id, property: nil))
    else { return }
    let object = context.object(with: record.id)
    var attributes: [AttributeDescription] = []
    for index in record.slots {
      switch record.previous.layout.contents[index] {
      case .attribute:
        if let attribute = object.binding.attribute(ofSlot: index),
          !attributes.contains(where: { $0 === attribute })
        {
          attributes.append(attribute)
        }
      case .reference(let relationship):
        try putBack(relationship, of: object, record)
      case .position(let relationship):
        try noteMove(relationship, at: index, record)
      }
    }
    guard record.kind == .update else { return }
    for attribute in attributes
    where !(attribute is DerivedAttributeDescription) && !isBlocked(record.id, attribute.name) {
      try object.values.setAttributeValue(attribute.value(in: record.previous), of: attribute)
      outcome.changed.insert(record.id)
    }
  }

  private func isBlocked(_ id: ObjectID, _ name: String) -> Bool {
    !blocked.isEmpty && blocked.contains(.init(id: id, property: name))
  }

  private mutating func putBack(
    _ relationship: RelationshipDescription, of object: ManagedObject, _ record: RevertBasis.Record
  ) throws {
    guard !isBlocked(record.id, relationship.name), let slot = relationship.slot else { return }
    var destination: ManagedObject?
    if let key = record.previous.reference(slot) {
      guard let id = try id(of: key, besides: record.id, relationship), exists(id) else {
        outcome.missing.append(.init(id: record.id, property: relationship.name))
        return
      }
      let other = context.object(with: id)
      guard try canTake(other, along: relationship, from: object) else {
        outcome.conflicts.append(.init(id: record.id, property: relationship.name))
        return
      }
      destination = other
    } else if record.kind == .delete {
      return
    }
    try object.keyed.setRelationship(relationship, to: destination)
    outcome.changed.insert(record.id)
    notePosition(of: record, along: relationship, to: destination)
  }

  /// Records the position of a record among the destinations of its restored owner. A record that left them may have
  /// kept its position.
  private mutating func notePosition(
    of record: RevertBasis.Record, along relationship: RelationshipDescription,
    to owner: ManagedObject?
  ) {
    guard let inverse = relationship.maintainedInverse,
      case .inverseOfToOne(_, let position?) = inverse.storage
    else { return }
    guard let owner else { return restorePosition(of: record, at: position) }
    let row = record.slots.contains(position.index) ? record.previous : record.current
    guard let row, !row.isNull(position) else { return }
    orders.note(row.integer(position), of: record.id, among: inverse, of: owner.identity)
  }

  /// Restores the last position of a record that loses its owner: earlier transactions may refer to it.
  private func restorePosition(of record: RevertBasis.Record, at slot: RowSlot) {
    guard record.slots.contains(slot.index), !record.previous.isNull(slot),
      let memory = context.object(with: record.id).willWrite(slot)
    else { return }
    RowMemory.store(record.previous.integer(slot), memory, slot)
  }

  /// Whether an object can become the destination: in a one-to-one relationship it may have another source by now,
  /// which the transaction does not know of.
  private func canTake(
    _ other: ManagedObject, along relationship: RelationshipDescription, from object: ManagedObject
  ) throws -> Bool {
    guard !isForced, let inverse = relationship.maintainedInverse, !inverse.isToMany,
      let own = other.binding.relationship(named: inverse.name),
      let holder = try other.related.readDestination(own.ordinal), holder !== object
    else { return true }
    return basis.records.contains { record in
      record.id == other.identity
        && record.slots.contains { slot in
          inverse.slot?.index == slot && !record.changedSince.contains(slot)
        }
    }
  }

  // MARK: - Links

  private mutating func putBack(_ link: RevertBasis.Link) throws {
    let relationship = link.table.relationship
    let place = Reverting.Outcome.Place(id: link.source, property: relationship.name)
    guard exists(link.source), exists(link.destination) else {
      if link.previous.isThere { outcome.missing.append(place) }
      return
    }
    guard isForced || !link.isChangedSince else {
      if !outcome.conflicts.contains(place) { outcome.conflicts.append(place) }
      return
    }
    let (source, destination) = (
      context.object(with: link.source), context.object(with: link.destination)
    )
    guard !source.isDeleted, !destination.isDeleted else { return }
    let hasLink = try source.related.readLinks(relationship).contains(destination) ?? false
    if case .link(let position, let inversePosition) = link.previous {
      if !hasLink { source.editor.addDestination(relationship, destination) }
      orders.note(position, of: destination, among: relationship, of: source)
      if let inverse = relationship.maintainedInverse {
        orders.note(inversePosition, of: source, among: inverse, of: destination)
      }
    } else if hasLink {
      source.editor.removeDestination(relationship, destination)
    }
    outcome.changed.formUnion([link.source, link.destination])
  }

  /// Records the position of a record that was moved among the destinations of its owner.
  private mutating func noteMove(
    _ relationship: RelationshipDescription, at slot: Int, _ record: RevertBasis.Record
  ) throws {
    let layout = record.previous.layout
    guard !record.previous.isNull(layout.slots[slot]), let inverse = relationship.maintainedInverse,
      let reference = inverse.slot, !record.slots.contains(reference.index),
      let key = record.current?.reference(reference),
      let owner = try id(of: key, besides: record.id, inverse)
    else { return }
    orders.note(
      record.previous.integer(layout.slots[slot]), of: record.id, among: relationship, of: owner)
  }

  // MARK: - Records of others

  private func id(
    of key: Int64, besides id: ObjectID, _ relationship: RelationshipDescription
  ) throws -> ObjectID? {
    try context.persistentStoreCoordinator.flatMap {
      try CoordinatorHistory(of: $0).destinationID(forKey: key, from: id)
    }
  }

  /// Whether a record exists, or is being restored.
  private func exists(_ id: ObjectID) -> Bool { isThere[id] ?? false }
}

extension EntityBinding {
  /// Returns the name of a slot's property; nil for a position, which belongs to the inverse.
  func propertyName(ofSlot index: Int) -> String? {
    switch layout.contents[index] {
    case .attribute: attribute(ofSlot: index)?.name
    case .reference(let relationship): relationship.name
    case .position: nil
    }
  }
}
