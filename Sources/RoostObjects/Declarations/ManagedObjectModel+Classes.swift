// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension ManagedObjectModel {
  /// Makes a model of entity classes.
  ///
  /// The classes of superentities and of the destinations of relationships belong to the model, too, whether they are
  /// listed or not; a subclass has to be listed, because nothing leads to it.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(Person.self, Department.self)
  /// ```
  ///
  /// A relationship whose inverse names it has that inverse, although it does not say so itself.
  ///
  /// - Parameter classes: Classes with `@Entity`.
  /// - Throws: ``PersistenceError`` with code `invalidModel` when a class has no `@Entity`, two classes declare the
  ///   same entity, or an inverse is no relationship of the destination.
  public convenience init(_ classes: ManagedObject.Type...) throws {
    try self.init(classes)
  }

  /// Makes a model of entity classes, as the initializer that takes them one by one does.
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

  /// Says which classes the objects of the entities have: for a model that was read from a file or built in code, since
  /// on Linux a class is not to be had by its name.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(contentsOf: url)
  /// try model.setClasses(Person.self, Department.self)
  /// ```
  ///
  /// A class is that of the entity which names it, else of the entity that has its name. Whether its properties are
  /// those of the entity is checked when the model is used.
  ///
  /// - Parameter classes: The classes.
  /// - Throws: ``PersistenceError`` with code `modelInUse`, or `unknownEntity` for a class without an entity;
  ///   nothing changes then.
  public func setClasses(_ classes: ManagedObject.Type...) throws {
    try setClasses(classes)
  }

  /// Says which classes the objects of the entities have.
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
