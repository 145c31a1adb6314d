// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// Runtime data shared by all objects of an entity and class; created with the first object.
final class EntityBinding: @unchecked Sendable {
  // Sendable: everything is set in `init` but the slot tables, which are made behind a lock and never freed or
  // changed.

  let entity: EntityDescription
  let layout: RowLayout
  /// The number of words in a row before its first slot.
  let leadCount: Int
  /// The class of the entity's objects.
  let objectClass: ManagedObject.Type
  /// The entity's relationships by ordinal.
  let relationships: [RelationshipDescription]
  /// The entities of the relationships' destinations, by ordinal.
  let destinations: [ObjectIdentifier?]
  /// The identity of the entity.
  let identity: ObjectIdentifier
  /// The delete rules of the relationships.
  let deletion: DeletionPlan
  /// The to-one relationships stored in rows, and their slots.
  let references: [(relationship: RelationshipDescription, slot: RowSlot)]
  /// The slots of the relationships, by ordinal; nil for relationships that are not stored in the row.
  let referenceSlots: [RowSlot?]
  /// Whether the entity has a to-many relationship.
  let hasToManyRelationships: Bool
  /// Whether the entity has an ordered relationship.
  let hasOrderedRelationships: Bool
  /// Whether a relationship has a link table.
  let hasLinkTables: Bool
  let attributes: [AttributeDescription]
  /// The slots of the attributes, by how a save treats them.
  let slotPlan: SlotPlan
  /// The validation of objects before they are saved.
  let validation: ValidationPlan
  /// A bit mask of the slots whose setters only have to mark the slot, once the object is recorded as changed; covers
  /// the first 64 slots.
  private let settlingSlots: UInt64
  /// The transient properties whose changes the class ignores (B59).
  let ignoredChanges: IgnoredChanges
  private let attributesBySlot: [AttributeDescription?]
  /// The values of a new object; immutable.
  let defaults: Row
  private let renewedDefaults: RenewedDefaults
  private let propertiesByName: [String: PropertyDescription]
  /// A hash table of the property names.
  let keys: KeyTable
  /// The slot table of ``objectClass``.
  private(set) var primarySlots: SlotTable
  private let slotTables = Mutex<[ObjectIdentifier: SlotTable]>([:])

  private init(entity: EntityDescription) {
    self.entity = entity
    ClassEntities.note([entity])
    layout = entity.layout
    leadCount = entity.layout.leadCount
    objectClass = entity.managedObjectClass as? ManagedObject.Type ?? ManagedObject.self
    relationships = entity.relationshipsInOrder
    destinations = relationships.map { $0.fixedDestination.map { ObjectIdentifier($0) } }
    identity = ObjectIdentifier(entity)
    references = relationships.compactMap { relationship in
      guard case .toOne(let slot) = relationship.storage else { return nil }
      return (relationship, slot)
    }
    referenceSlots = relationships.map { relationship in
      guard case .toOne(let slot) = relationship.storage else { return nil }
      return slot
    }
    deletion = DeletionPlan(relationships)
    hasToManyRelationships = relationships.contains(where: \.isToMany)
    hasOrderedRelationships = relationships.contains(where: \.isOrdered)
    hasLinkTables = relationships.contains { relationship in
      guard case .links = relationship.storage else { return false }
      return true
    }
    attributes = entity.attributesInOrder
    propertiesByName = entity.propertiesByName
    slotPlan = SlotPlan(attributes, layout)
    ignoredChanges = IgnoredChanges(entity: entity, objectClass: objectClass)
    validation = ValidationPlan(
      attributes, relationships, hooks: ValidationHooks(of: objectClass))
    settlingSlots = attributes.flatMap(\.slots).reduce(0) { [ignoredChanges] bits, slot in
      let isOne = slot.index < 64 && !ignoredChanges.contains(slot: slot)
      return isOne ? bits | 1 &<< UInt64(slot.index) : bits
    }
    var bySlot = [AttributeDescription?](repeating: nil, count: layout.slots.count)
    for attribute in attributes {
      for slot in attribute.slots { bySlot[slot.index] = attribute }
    }
    attributesBySlot = bySlot
    keys = KeyTable(attributes: attributes, relationships: relationships, layout: layout)
    defaults = entity.makeDefaultRow(key: 0, version: 0)
    renewedDefaults = RenewedDefaults(of: objectClass._entityDeclaration, in: layout)
    primarySlots = SlotTable()
    primarySlots = makeSlotTable(for: objectClass)
  }

  /// The binding of an entity whose model is frozen.
  static func binding(of entity: EntityDescription) -> EntityBinding {
    let runtime = entity.runtime.load() ?? entity.runtime.storeIfNil(EntityBinding(entity: entity))
    // Nothing else is attached to an entity.
    return unsafeDowncast(runtime, to: EntityBinding.self)
  }

  /// Returns a row for a new object, with the default of every property (B10).
  func makeDefaultRow() -> Row {
    let row = defaults.copy()
    renewedDefaults.fill(row)
    return row
  }

  func property(named name: String) -> PropertyDescription? {
    propertiesByName[name]
  }

  func relationship(named name: String) -> RelationshipDescription? {
    propertiesByName[name] as? RelationshipDescription
  }

  func attribute(named name: String) -> AttributeDescription? {
    propertiesByName[name] as? AttributeDescription
  }

  /// Returns an element of a composite by its dotted name.
  func element(named name: String) -> AttributeDescription? {
    guard let slot = layout.slot(named: name),
      case .attribute(let element, _) = layout.contents[slot.index]
    else { return nil }
    return element
  }

  /// Returns the attribute whose value, or part of it, a slot holds.
  func attribute(ofSlot index: Int) -> AttributeDescription? {
    attributesBySlot[index]
  }

  /// The names of the persistent properties.
  var persistentNames: [String] {
    attributes.filter(\.isStored).map(\.name)
      + relationships.filter { !$0.isTransient }.map(\.name)
  }
}

// MARK: - Slot tables

extension EntityBinding {
  /// Whether the setter only has to mark the slot, once the object is recorded as changed.
  @inline(__always)
  func settles(_ slot: RowSlot) -> Bool {
    slot.index < 64 && settlingSlots & (1 &<< UInt64(slot.index)) != 0
  }

  /// Returns the slot table of a class.
  func slotTable(for objectClass: ManagedObject.Type) -> SlotTable {
    // A path recorder reads no slots.
    if objectClass == self.objectClass || entity === RecorderEntity.entity { return primarySlots }
    return slotTables.withLock { tables in
      if let table = tables[ObjectIdentifier(objectClass)] { return table }
      let table = makeSlotTable(for: objectClass)
      tables[ObjectIdentifier(objectClass)] = table
      return table
    }
  }

  private func makeSlotTable(for objectClass: ManagedObject.Type) -> SlotTable {
    let declaration = objectClass._entityDeclaration
    let names = declaration?.propertyNames ?? []
    let composites = names.indices.map { declaration?.property(numbered: $0)?.composite }
    var table: [RowSlot] = []
    // The elements of composites follow, and the entry of a composite says where.
    var elements: [RowSlot] = []
    for (name, composite) in zip(names, composites) {
      guard let composite else {
        table.append(classSlot(named: name, of: objectClass))
        continue
      }
      let first = names.count + elements.count
      elements += composite.slotNames(of: name).map { classSlot(named: $0, of: objectClass) }
      table.append(
        RowSlot(offset: Int32(first), nullOffset: 0, bit: 0, index: 0, kind: .integer))
    }
    return SlotTable(
      table + elements,
      isInCells: names.indices.allSatisfy { number in
        guard let slot = attribute(named: names[number])?.slot else { return true }
        return slot.kind.byteCount > 8 || slot.isInCell(number)
      })
  }

  private func classSlot(named name: String, of objectClass: ManagedObject.Type) -> RowSlot {
    if let relationship = relationship(named: name) {
      return RowSlot(
        offset: 0, nullOffset: 0, bit: 0, index: UInt16(relationship.ordinal), kind: .reference)
    }
    guard let slot = layout.slot(named: name) else {
      preconditionFailure(
        "The class \(objectClass) has a property \(name) that its entity "
          + "\(entity.name ?? "") does not have.")
    }
    return slot
  }
}
