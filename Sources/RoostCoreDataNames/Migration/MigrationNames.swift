// SPDX-License-Identifier: Apache-2.0

public import RoostMigration

/// ``MappingModel``.
public typealias NSMappingModel = MappingModel
/// ``EntityMapping``.
public typealias NSEntityMapping = EntityMapping
/// ``EntityMappingType``.
public typealias NSEntityMappingType = EntityMappingType
/// ``PropertyMapping``.
public typealias NSPropertyMapping = PropertyMapping
/// ``EntityMigrationPolicy``. Functions for expressions are declared in ``EntityMigrationPolicy/functions``, because
/// there are no selectors.
public typealias NSEntityMigrationPolicy = EntityMigrationPolicy
/// ``MigrationManager``.
public typealias NSMigrationManager = MigrationManager
/// ``MigrationStage``.
public typealias NSMigrationStage = MigrationStage
/// ``LightweightMigrationStage``.
public typealias NSLightweightMigrationStage = LightweightMigrationStage
/// ``CustomMigrationStage``.
public typealias NSCustomMigrationStage = CustomMigrationStage
/// ``StagedMigrationManager``.
public typealias NSStagedMigrationManager = StagedMigrationManager
/// ``ManagedObjectModelReference``.
public typealias NSManagedObjectModelReference = ManagedObjectModelReference

/// The option whose value is the `NSStagedMigrationManager` that migrates a store to the model.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
  "NSPersistentStoreStagedMigrationManagerOptionKey"
