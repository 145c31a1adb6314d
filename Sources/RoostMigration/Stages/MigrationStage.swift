// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A part of the way from one version of a model to another: a ``LightweightMigrationStage`` or a
/// ``CustomMigrationStage``.
///
/// ```swift
/// stage.label = "Split names"
/// ```
public class MigrationStage: @unchecked Sendable {
  // Sendable: written by the one who makes it, before a migration uses it.

  /// What reports of the progress call the stage.
  public final var label: String?

  init() {}

  /// The versions that the stage goes through, in their order.
  var checksums: [String] { [] }
}

/// Versions of which each can be made of the one before by inference.
///
/// Only the last of a row of such versions is applied, so the models of the others need not be there.
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

/// A step between two versions before and after which the program changes records.
///
/// Split a change that cannot be inferred: let the version between have what is old and what is new, and fill the new
/// in a handler.
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

  /// What a stage calls.
  public typealias Handler = (StagedMigrationManager, CustomMigrationStage) throws -> Void

  /// The version that the stage begins with.
  public let currentModel: ManagedObjectModelReference
  /// The version that it ends with.
  public let nextModel: ManagedObjectModelReference
  /// Called while the store is of the version that the stage begins with. See ``StagedMigrationManager/isRepeated``.
  public var willMigrateHandler: Handler?
  /// Called when the store is of the version that the stage ends with. See ``StagedMigrationManager/isRepeated``.
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
