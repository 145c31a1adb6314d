// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
public import RoostObjects
import RoostStore

/// Actions of a transform besides writing the new object.
///
/// ```swift
/// EntityTransform("Person", to: Person.self, replacing: ["street"]) { old, new, step in
///   if try old["name"] == "" { return step.drop() }
///   let address = try step.insert(Address.self)
///   address.street = try old["street"]
///   new.address = address
/// }
/// ```
public final class TransformStep {
  private let run: MigrationRun
  private(set) var isDropped = false

  init(_ run: MigrationRun) {
    self.run = run
  }

  /// Drops the record: it has no object in the new version, and relationships to it lead to nothing. It has no effect
  /// while objects are connected.
  public func drop() {
    isDropped = true
  }

  /// Inserts another object, with the defaults of its entity. Relationships of other objects do not refer to it
  /// unless the transform sets them.
  ///
  /// - Parameter objectClass: The class of the object.
  /// - Returns: The object. It becomes a fault after some hundred others: keep its ID, not the object.
  /// - Throws: ``PersistenceError`` with code `unknownEntity` when the store has no entity of the class,
  ///   `abstractEntity` when the entity is abstract.
  public func insert<Object: ManagedObject>(_ objectClass: Object.Type) throws -> Object {
    let entities = run.stores.destination.store.schema.entities
    guard let entity = DestinationEntity.entity(of: objectClass, in: entities),
      let object = try insert(entity) as? Object
    else {
      throw PersistenceError(
        .unknownEntity, "The store has no entity of the class \(objectClass) in the new version.")
    }
    return object
  }

  /// Makes another object of an entity that is named, for models without classes.
  ///
  /// - Parameter entityName: The name of the entity in the new version.
  /// - Returns: The object.
  /// - Throws: ``PersistenceError`` with code `unknownEntity` when the store has no such entity, `abstractEntity` when
  ///   that has no objects.
  public func insert(entityNamed entityName: String) throws -> ManagedObject {
    let entities = run.stores.destination.store.schema.entities
    guard let entity = entities.first(where: { $0.name == entityName }) else {
      throw PersistenceError(
        .unknownEntity, "The store has no entity \(entityName) in the new version.",
        entityName: entityName)
    }
    return try insert(entity)
  }

  /// The object of the new version that was made of a record; nil when it was dropped, or is not made yet: all are
  /// there when objects are connected.
  ///
  /// - Parameters:
  ///   - record: A record of the old version.
  ///   - objectClass: The class of the object, where one record became several of different classes.
  public func object<Object: ManagedObject>(
    of record: MigrationRecord, as objectClass: Object.Type = ManagedObject.self
  ) -> Object? {
    for mapping in run.mappings where mapping.source === record.object.entity {
      for object in run.destinations(of: mapping, [record.object]) {
        if let found = object as? Object { return found }
      }
    }
    return nil
  }

  private func insert(_ entity: EntityDescription) throws -> ManagedObject {
    guard !entity.isAbstract else {
      throw PersistenceError(
        .abstractEntity, "The entity \(entity.name ?? "") is abstract and has no objects.",
        entityName: entity.name)
    }
    return try EntityDescription.insertNewObject(
      forEntityName: entity.name ?? "", into: run.stores.destinationContext)
  }
}

/// Finds entities of the new version by their classes.
enum DestinationEntity {
  /// Returns the entity of a class; of several with the same class, a superentity comes before its subentities.
  static func entity(
    of objectClass: ManagedObject.Type, in entities: [EntityDescription]
  ) -> EntityDescription? {
    entities.first {
      $0.managedObjectClass == objectClass && $0.superentity?.managedObjectClass != objectClass
    }
  }
}
