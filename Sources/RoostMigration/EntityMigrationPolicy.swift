// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

/// Makes the objects of one entity mapping. Override what a mapping's expressions cannot say.
///
/// The manager goes through all mappings three times: it makes objects, then it connects them, then it validates them.
/// For each mapping there is one policy object, and its methods are called in this order: ``begin(_:with:)``,
/// ``createDestinationInstances(forSource:in:manager:)`` for each object of the source,
/// ``endInstanceCreation(forMapping:manager:)``; ``createRelationships(forDestination:in:manager:)`` for each object
/// that was made, ``endRelationshipCreation(forMapping:manager:)``; ``performCustomValidation(forMapping:manager:)``,
/// ``end(_:manager:)``. What an override throws ends the migration.
///
/// Objects become faults after some hundred others: keep their IDs, or what you need of them, and not the objects.
///
/// ```swift
/// final class PostPolicy: EntityMigrationPolicy {
///   override var functions: [String: MigrationFunction] {
///     ["hexColor:": { arguments in (arguments[0] as? String).map { "#" + $0 } }]
///   }
/// }
/// ```
nonisolated open class EntityMigrationPolicy {
  /// Makes a policy: called once for each mapping that names the class.
  public required init() {}

  /// The functions that expressions may call with `FUNCTION($entityPolicy, "name:", …)`, by their names; none unless
  /// overridden. There are no selectors: a function that is not here is refused before the migration begins.
  open var functions: [String: MigrationFunction] { [:] }

  /// Whether connecting an object reads the one that it was made of, so that these are read for many at once.
  var readsSourcesToConnect: Bool { false }

  /// Called before anything else is done for the mapping.
  ///
  /// - Parameters:
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: What is to end the migration.
  open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

  /// Makes the objects that one object of the source becomes.
  ///
  /// The default makes one, gives its attributes what the mapping says, and associates it. Where one entity becomes
  /// one other, the new object has the number of the old one in its ID. An override may call `super` and change what it
  /// made, or make none or several objects, and associate them with
  /// ``MigrationManager/associate(sourceInstance:withDestinationInstance:for:)``.
  ///
  /// - Parameters:
  ///   - sInstance: An object of the source context.
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: What is to end the migration.
  open func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try manager.requireRun().createInstance(of: sInstance, in: mapping)
  }

  /// Called after the last object of the mapping was made.
  ///
  /// - Parameters:
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: What is to end the migration.
  open func endInstanceCreation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {}

  /// Connects an object that was made and associated with others. All objects of all mappings are there.
  ///
  /// The default gives the relationships what the mapping says.
  ///
  /// - Parameters:
  ///   - dInstance: An object of the destination context.
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: What is to end the migration.
  open func createRelationships(
    forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try manager.requireRun().connect(dInstance, in: mapping)
  }

  /// Called after the last object of the mapping was connected.
  ///
  /// - Parameters:
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: What is to end the migration.
  open func endRelationshipCreation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {}

  /// Checks what the model's rules do not say. The rules themselves are checked whether it is overridden or not.
  ///
  /// - Parameters:
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: What is wrong; it is reported together with all other failures of the validation.
  open func performCustomValidation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {}

  /// Called after everything was done for the mapping.
  ///
  /// - Parameters:
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: What is to end the migration.
  open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}
}

/// A function that a migration policy offers to expressions: it takes values as keyed access has them, objects
/// included, and returns one.
public typealias MigrationFunction = (_ arguments: [Any?]) throws -> Any?
