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
}
