// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// What an entity and its class have in common for all their objects; made once, when the first object is made.
final class EntityBinding: @unchecked Sendable {
  // Sendable: everything is set in `init` but the slot tables, which are made behind a lock and never freed or changed.

  let entity: EntityDescription
  let layout: RowLayout
  /// The words of a row before the one from which slots are counted.
  let leadCount: Int
  /// The class of the entity's objects.
  let objectClass: ManagedObject.Type
  /// The entity's relationships by ordinal.
  let relationships: [RelationshipDescription]
  /// The entities of the relationships' destinations, by ordinal.
  let destinations: [ObjectIdentifier?]
  /// Which entity it is.
  let identity: ObjectIdentifier
  /// What the deletion of an object asks for.
  let deletion: DeletionPlan
  /// The to-one relationships that rows keep, and their slots.
  let references: [(relationship: RelationshipDescription, slot: RowSlot)]
  /// The slots of the relationships, by ordinal; nil for those that rows do not keep.
  let referenceSlots: [RowSlot?]
  /// Whether a relationship can have many destinations.
  let hasToManyRelationships: Bool
  /// Whether a relationship has an order.
  let hasOrderedRelationships: Bool
  /// Whether links of a relationship are kept in a table of their own.
  let hasLinkTables: Bool
  let attributes: [AttributeDescription]
  /// The slots of the attributes by what becomes of them.
  let slotPlan: SlotPlan
  /// How objects are judged before they are saved.
  let validation: ValidationPlan
  /// The attributes' slots whose setters do no more than to note the slot, once an object is known to be changed; as
  /// far as a word of bits goes.
  private let settlingSlots: UInt64
  /// The transient properties whose changes the class wants to be ignored (B59).
  let ignoredChanges: IgnoredChanges
  private let attributesBySlot: [AttributeDescription?]
  /// The values of a new object; never changed.
  let defaults: Row
  /// The initial values that the class makes anew for each object, as `UUID()`, and their slots.
  private let renewedDefaults: [(slot: RowSlot, make: @Sendable () -> Value)]
  private let propertiesByName: [String: PropertyDescription]
  /// What most names that objects are asked for stand for.
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
    let renewed = objectClass._entityDeclaration?.renewedDefaults ?? []
    renewedDefaults = renewed.compactMap { [layout] initial in
      layout.slot(named: initial.name).map { ($0, initial.make) }
    }
    primarySlots = SlotTable()
    primarySlots = makeSlotTable(for: objectClass)
  }

  /// The binding of an entity whose model is frozen.
  static func binding(of entity: EntityDescription) -> EntityBinding {
    let runtime = entity.runtime.load() ?? entity.runtime.storeIfNil(EntityBinding(entity: entity))
    // Nobody else attaches anything to an entity.
    return unsafeDowncast(runtime, to: EntityBinding.self)
  }

  /// A row for a new object: every property has its default (B10).
  func makeDefaultRow() -> Row {
    let row = defaults.copy()
    for renewed in renewedDefaults {
      // A value that the slot cannot hold leaves the model's default there.
      try? row.setValue(renewed.make(), at: renewed.slot)
    }
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

  /// The element of a composite, by its dotted name.
  func element(named name: String) -> AttributeDescription? {
    guard let slot = layout.slot(named: name),
      case .attribute(let element, _) = layout.contents[slot.index]
    else { return nil }
    return element
  }

  /// The attribute whose value, or part of it, is in a slot.
  func attribute(ofSlot index: Int) -> AttributeDescription? {
    attributesBySlot[index]
  }

  /// The names of the properties that stores keep.
  var persistentNames: [String] {
    attributes.filter(\.isStored).map(\.name)
      + relationships.filter { !$0.isTransient }.map(\.name)
  }
}

// MARK: - Slot tables

extension EntityBinding {
  /// Whether a setter has to do no more than to note the slot, once the object is known to be changed.
  @inline(__always)
  func settles(_ slot: RowSlot) -> Bool {
    slot.index < 64 && settlingSlots & (1 &<< UInt64(slot.index)) != 0
  }

  /// Where the properties of a class are.
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
    let names = objectClass._entityDeclaration?.propertyNames ?? []
    return SlotTable(
      names.map { classSlot(named: $0, of: objectClass) },
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
