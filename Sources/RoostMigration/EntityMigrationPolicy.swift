// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

/// Makes the objects of one entity mapping. Override its methods for what a mapping's expressions cannot express.
///
/// The manager goes through all mappings three times: it makes objects, then it connects them, then it validates
/// them. For each mapping there is one policy object, and its methods are called in this order: ``begin(_:with:)``,
/// ``createDestinationInstances(forSource:in:manager:)`` for each source object,
/// ``endInstanceCreation(forMapping:manager:)``; ``createRelationships(forDestination:in:manager:)`` for each object
/// that was made, ``endRelationshipCreation(forMapping:manager:)``; ``performCustomValidation(forMapping:manager:)``,
/// ``end(_:manager:)``. An error from an override ends the migration.
///
/// Objects become faults after some hundred others: keep their IDs or the values that you need, not the objects.
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

  /// Whether connecting an object reads its source object, so that source objects are prefetched.
  var readsSourcesToConnect: Bool { false }

  /// Called first for the mapping.
  ///
  /// - Parameters:
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: An error that ends the migration.
  open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

  /// Makes the objects that one object of the source becomes.
  ///
  /// The default makes one object, sets its attributes by the mapping, and associates it. Where one entity becomes
  /// one other, the new object has the key of the old one in its ID. An override may call `super` and change the new
  /// object, or make none or several objects, and associate them with
  /// ``MigrationManager/associate(sourceInstance:withDestinationInstance:for:)``.
  ///
  /// - Parameters:
  ///   - sInstance: An object of the source context.
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: An error that ends the migration.
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
  /// - Throws: An error that ends the migration.
  open func endInstanceCreation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {}

  /// Connects an object that was made and associated with others. All objects of all mappings exist by now.
  ///
  /// The default sets the relationships by the mapping.
  ///
  /// - Parameters:
  ///   - dInstance: An object of the destination context.
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: An error that ends the migration.
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
  /// - Throws: An error that ends the migration.
  open func endRelationshipCreation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {}

  /// Validates what the model's rules do not cover. The rules themselves are checked whether it is overridden or not.
  ///
  /// - Parameters:
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: A validation error; it is reported together with all other validation failures.
  open func performCustomValidation(
    forMapping mapping: EntityMapping, manager: MigrationManager
  ) throws {}

  /// Called last for the mapping.
  ///
  /// - Parameters:
  ///   - mapping: The mapping.
  ///   - manager: The manager.
  /// - Throws: An error that ends the migration.
  open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}
}

/// A function that a migration policy offers to expressions: it takes values as keyed access has them, objects
/// included, and returns one.
public typealias MigrationFunction = (_ arguments: [Any?]) throws -> Any?
