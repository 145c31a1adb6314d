// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Creating objects by entity name.
extension EntityDescription {
  /// Returns the entity with a name in the model of a context.
  ///
  /// - Parameters:
  ///   - entityName: The name.
  ///   - context: A context with a coordinator.
  /// - Returns: The entity; nil when the model has none with this name.
  public static func entity(
    forEntityName entityName: String, in context: ManagedObjectContext
  ) -> EntityDescription? {
    context.model?.entitiesByName[entityName]
  }

  /// Creates an object of the class that an entity names, and inserts it.
  ///
  /// ```swift
  /// let person = try EntityDescription.insertNewObject(forEntityName: "Person", into: context)
  /// ```
  /// - Parameters:
  ///   - entityName: The name of an entity that is not abstract.
  ///   - context: The context.
  /// - Throws: ``PersistenceError`` with code `unknownEntity` or `abstractEntity`.
  @_disfavoredOverload
  public static func insertNewObject(
    forEntityName entityName: String, into context: ManagedObjectContext
  ) throws -> ManagedObject {
    guard let entity = entity(forEntityName: entityName, in: context) else {
      throw PersistenceError(
        .unknownEntity, "The model has no entity \(entityName).", entityName: entityName)
    }
    guard !entity.isAbstract else {
      throw PersistenceError(
        .abstractEntity, "\(entityName) is abstract.", entityName: entityName)
    }
    return EntityBinding.binding(of: entity).objectClass.init(
      entity: entity, insertInto: context)
  }
}
