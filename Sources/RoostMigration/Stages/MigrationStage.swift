// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A part of the way from one version of a model to another: a ``LightweightMigrationStage`` or a
/// ``CustomMigrationStage``.
///
/// ```swift
/// stage.label = "Split names"
/// ```
public class MigrationStage: @unchecked Sendable {
  // Sendable: written only while it is built, before a migration uses it.

  /// The name of the stage in progress reports.
  public final var label: String?

  init() {}

  /// The versions of the stage, in their order.
  var checksums: [String] { [] }
}

/// Versions that can each be inferred from the one before.
///
/// Only the last of consecutive such versions is applied, so the models of the others need not exist.
///
/// ```swift
/// LightweightMigrationStage([version1.versionChecksum, version2.versionChecksum])
/// ```
public final class LightweightMigrationStage: MigrationStage, @unchecked Sendable {
  // Sendable: as its superclass.

  /// The checksums of the versions, the earliest first.
  public let versionChecksums: [String]

  /// Makes a stage.
  ///
  /// - Parameter versionChecksums: The checksums of the versions, the earliest first.
  public init(_ versionChecksums: [String]) {
    self.versionChecksums = versionChecksums
  }

  override var checksums: [String] { versionChecksums }
}

/// A step between two versions, with code of the program that changes records before and after it.
///
/// Split a change that cannot be inferred: let an intermediate version have the old and the new properties, and fill
/// the new ones in a handler.
///
/// ```swift
/// let stage = CustomMigrationStage(migratingFrom: version2, to: version3)
/// stage.didMigrateHandler = { manager, stage in
///   guard let context = manager.container?.newBackgroundContext() else { return }
///   for person in try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")) {
///     try person.setValue(person.value(forKey: "name"), forKey: "fullName")
///   }
///   try context.save()
/// }
/// ```
public final class CustomMigrationStage: MigrationStage, @unchecked Sendable {
  // Sendable: as its superclass.

  /// A handler of a stage.
  public typealias Handler = (StagedMigrationManager, CustomMigrationStage) throws -> Void

  /// The version that the stage begins with.
  public let currentModel: ManagedObjectModelReference
  /// The version that it ends with.
  public let nextModel: ManagedObjectModelReference
  /// Called while the store has the version with which the stage begins. See ``StagedMigrationManager/isRepeated``.
  public var willMigrateHandler: Handler?
  /// Called when the store has the version with which the stage ends. See ``StagedMigrationManager/isRepeated``.
  public var didMigrateHandler: Handler?

  /// Makes a stage.
  ///
  /// - Parameters:
  ///   - currentModel: The version that it begins with.
  ///   - nextModel: The version that it ends with; it can be inferred from the other one.
  public init(
    migratingFrom currentModel: ManagedObjectModelReference,
    to nextModel: ManagedObjectModelReference
  ) {
    self.currentModel = currentModel
    self.nextModel = nextModel
  }

  override var checksums: [String] { [currentModel.versionChecksum, nextModel.versionChecksum] }
}
