// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// The entities and properties that an export writes.
struct ExportPlan {
  let format: ExchangeFormat
  let entities: [EntityPlan]
  private let leavingOut: Set<String>
  /// The plans of all entities of the model.
  private let plans: [ObjectIdentifier: EntityPlan]
  private let exported: Set<ObjectIdentifier>
  private let store: StoreIdentity?
  /// The indices of the stores in the coordinator, by their UUIDs.
  private let stores: [String: Int]

  /// - Throws: `unknownEntity`, `unknownKey`; `invalidRequest` for relationships that the format cannot represent.
  init(
    _ options: ExportOptions, _ format: ExchangeFormat, in coordinator: PersistentStoreCoordinator
  ) throws {
    let model = coordinator.managedObjectModel
    self.format = format
    store = options.store?.identity
    leavingOut = options.leavingOut
    let all = model.entities
    var chosen: [EntityDescription] = []
    for name in options.entities {
      guard let entity = model.entitiesByName[name] else {
        let names = all.compactMap(\.name).sorted(by: UTF8Order.isLess).joined(separator: ", ")
        throw PersistenceError(.unknownEntity, "The model has no entity “\(name)”.")
          .remedied(by: "Name one of \(names).")
      }
      chosen += entity.concreteEntities
    }
    if options.entities.isEmpty {
      let stores = coordinator.attachedStores.filter { store in
        options.store.map { $0.identity.identifier == store.identity.identifier } ?? true
      }
      chosen = all.filter { entity in
        !entity.isAbstract && stores.contains { $0.holds(entity) }
      }
    }
    var seen = Set<ObjectIdentifier>()
    var plans: [ObjectIdentifier: EntityPlan] = [:]
    for entity in all {
      plans[ObjectIdentifier(entity)] = EntityPlan(
        entity, without: Self.names(options.leavingOut, of: entity))
    }
    self.plans = plans
    entities = chosen.filter { seen.insert(ObjectIdentifier($0)).inserted }.inOrderOfNeed
      .compactMap { plans[ObjectIdentifier($0)] }
    exported = Set(entities.map { ObjectIdentifier($0.entity) })
    stores = Dictionary(
      coordinator.attachedStores.enumerated().map { ($1.identity.identifier, $0) },
      uniquingKeysWith: { first, _ in first })
    for name in options.leavingOut { try Self.check(name, model) }
    if format.delimiter != nil { try checkRelationships() }
  }

  private static func check(_ name: String, _ model: ManagedObjectModel) throws {
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2, model.entitiesByName[parts[0]]?.propertiesByName[parts[1]] != nil else {
      throw PersistenceError(
        .unknownKey, "There is no property “\(name)” to be left out.", key: name
      )
      .remedied(by: "Write the entity and the property, as Person.photo.")
    }
  }

  private func checkRelationships() throws {
    var lost = Set<String>()
    for plan in entities {
      for relationship in plan.relationships
      where relationship.isLostInCSV && !isLeftOut(relationship, of: plan) {
        lost.insert("\(relationship.entity?.name ?? plan.name).\(relationship.name)")
      }
    }
    guard lost.isEmpty else {
      let names = lost.sorted(by: UTF8Order.isLess).joined(separator: ", ")
      throw PersistenceError(
        .invalidRequest, "CSV has no place for the to-many relationships \(names)."
      ).remedied(by: "Leave them out by their names, or export JSON lines.")
    }
  }

  /// Returns the properties of an entity that are omitted.
  private static func names(
    _ leavingOut: Set<String>, of entity: EntityDescription
  ) -> Set<String> {
    var names = Set<String>()
    var current: EntityDescription? = entity
    while let owner = current {
      let prefix = "\(owner.name ?? "")."
      for name in leavingOut where name.hasPrefix(prefix) {
        names.insert(String(name.dropFirst(prefix.count)))
      }
      current = owner.superentity
    }
    return names
  }

  func isLeftOut(_ property: PropertyDescription, of plan: EntityPlan) -> Bool {
    !leavingOut.isEmpty && Self.names(leavingOut, of: plan.entity).contains(property.name)
  }

  func attributes(of plan: EntityPlan) -> [AttributeDescription] {
    plan.attributes.filter { !isLeftOut($0, of: plan) }
  }

  /// Returns the relationships that are written with records of an entity.
  func relationships(of plan: EntityPlan) -> [RelationshipDescription] {
    plan.relationships.filter { relationship in
      relationship.isWrittenToLines && !isLeftOut(relationship, of: plan)
        && (format.delimiter == nil || !relationship.isToMany)
    }
  }

  /// Returns the plan of an entity of the model.
  func plan(of entity: EntityDescription) -> EntityPlan {
    plans[ObjectIdentifier(entity)] ?? EntityPlan(entity)
  }

  /// Returns the name of a record in the file.
  ///
  /// - Throws: The error of reading the record.
  func name(of object: ManagedObject) throws -> RecordName {
    let place = object.objectID.storeIdentity.flatMap { stores[$0.identifier] } ?? 0
    return try RecordName(of: object, plan(of: object.entity), store: store == nil ? place : 0)
  }

  /// Throws when a record would be named by an ID that no line of the export has.
  func checkExported(_ object: ManagedObject, _ relationship: RelationshipDescription) throws {
    let entity = object.entity
    let isHere = store == nil || object.objectID.storeIdentity?.identifier == store?.identifier
    guard !exported.contains(ObjectIdentifier(entity)) || !isHere else { return }
    let title = "\(relationship.entity?.name ?? "").\(relationship.name)"
    throw PersistenceError(
      .invalidRequest,
      "“\(title)” leads to records of “\(entity.name ?? "")” that have no unique key and are not "
        + "exported.", entityName: relationship.entity?.name, key: relationship.name,
      objectIDs: [object.objectID]
    ).remedied(
      by:
        "Export “\(entity.name ?? "")”, too, leave out “\(title)”, or give the entity a uniqueness "
        + "constraint.")
  }
}
