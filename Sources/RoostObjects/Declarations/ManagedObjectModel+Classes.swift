// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension ManagedObjectModel {
  /// Creates a model from entity classes.
  ///
  /// The classes of superentities and of the destinations of relationships are included, too, whether they are listed
  /// or not; a subclass has to be listed, because nothing refers to it.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(Person.self, Department.self)
  /// ```
  ///
  /// If only one of two inverse relationships names the other, it is the inverse of both.
  ///
  /// - Parameter classes: Classes with `@Entity`.
  /// - Throws: ``PersistenceError`` with code `invalidModel` when a class has no `@Entity`, two classes declare the
  ///   same entity, or an inverse is no relationship of the destination.
  public convenience init(_ classes: ManagedObject.Type...) throws {
    try self.init(classes)
  }

  /// Creates a model from entity classes, as the initializer with variadic parameters does.
  ///
  /// - Parameter classes: Classes with `@Entity`.
  /// - Throws: ``PersistenceError`` with code `invalidModel`.
  public convenience init(_ classes: [ManagedObject.Type]) throws {
    let assembly = try ModelAssembly(classes)
    self.init(entities: assembly.entities)
    for (name, entities) in assembly.configurations {
      try setEntities(entities, forConfigurationName: name)
    }
  }

  /// Sets the classes of the entities' objects: for a model that was read from a file or built in code, since on
  /// Linux a class cannot be looked up by name.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(contentsOf: url)
  /// try model.setClasses(Person.self, Department.self)
  /// ```
  ///
  /// A class is assigned to the entity that names it, or else to the entity with the name of the class. Whether its
  /// properties match those of the entity is checked when the model is used.
  ///
  /// - Parameter classes: The classes.
  /// - Throws: ``PersistenceError`` with code `modelInUse`, or `unknownEntity` for a class without an entity;
  ///   nothing changes then.
  public func setClasses(_ classes: ManagedObject.Type...) throws {
    try setClasses(classes)
  }

  /// Sets the classes of the entities' objects.
  ///
  /// - Parameter classes: The classes.
  /// - Throws: ``PersistenceError`` with code `modelInUse` or `unknownEntity`; nothing changes then.
  public func setClasses(_ classes: [ManagedObject.Type]) throws {
    try checkEditable()
    let byName = entitiesByName
    let found = try classes.map { objectClass in
      let className = String(describing: objectClass)
      let naming = entities.first { entity in
        let name = entity.managedObjectClassName
        return name == className || name.hasSuffix("." + className)
      }
      guard let entity = naming ?? byName[objectClass.ownEntityName] else {
        throw PersistenceError(
          .unknownEntity, "The model has no entity for the class \(className).")
      }
      return (entity: entity, objectClass: objectClass)
    }
    for (entity, objectClass) in found { entity.managedObjectClass = objectClass }
  }
}
