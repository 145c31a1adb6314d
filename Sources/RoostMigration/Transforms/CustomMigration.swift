// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostStore

/// Has stores follow their model by inference, with code of the program for what cannot be inferred.
///
/// Everything that no transform names is inferred, and objects keep their IDs. The store is migrated into a second
/// place beside it, as by ``MappingModels``: what is there is the old store or the new one, whatever ends the process.
/// The code runs in batches, all or nothing; an error that it throws comes out of adding the store, which is as it was
/// then.
///
/// ```swift
/// description.migration = CustomMigration(
///   [
///     EntityTransform("Person", to: Person.self, replacing: ["name"]) { old, new, _ in
///       new.firstName = try old["name"]
///     }
///   ], from: [version1])
/// ```
public struct CustomMigration: StoreMigration {
  /// The models of the versions that the transforms are for.
  public let sourceModels: [ManagedObjectModel]
  private let transforms: [EntityTransform]

  /// Makes a migration.
  ///
  /// - Parameters:
  ///   - transforms: What is done with the objects of which entities.
  ///   - versions: The versions of the model that the transforms are for, as those of a lock file
  ///     (``ModelLock/Version/model()``); stores of others are left to inference. Empty for any version: then the old
  ///     entities and properties that transforms name must be in each.
  public init(_ transforms: [EntityTransform], from versions: [ManagedObjectModel] = []) {
    self.transforms = transforms
    sourceModels = versions
  }

  /// Brings a store to a model.
  ///
  /// - Parameters:
  ///   - store: Where the store is.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model that it is opened with.
  ///   - reporter: Told of progress.
  /// - Returns: Whether the transforms are for the store's version and its configuration.
  /// - Throws: ``PersistenceError`` with code `unknownEntity`, `abstractEntity` or `unknownKey` when a transform names
  ///   what the models do not have, `inferredMappingModel` for other changes that cannot be inferred, `migration` for
  ///   losses that the store's evolution policy forbids, validation errors for objects that break a rule of the new
  ///   model, the codes of ``MigrationManager/migrateStore(from:type:options:mapping:to:type:options:)``, and what a
  ///   transform throws; the store is as it was.
  /// - Complexity: Each object is read twice and written at most twice, 512 at a time.
  public func migrate(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel, reporter: MigrationReporter
  ) throws -> Bool {
    guard let transforming = transforming(store, from: source, metadata, to: destination),
      let mapping = try transforming.mapping()
    else { return false }
    try InPlaceMigration(
      store: store, source: source, metadata: metadata, destination: destination,
      mapping: mapping, reporter: reporter, keepsClasses: true,
      inspect: { try transforming.refuseLosses($0) }
    ).run()
    return true
  }

  /// Says what a migration would do: which objects the transforms are called for, and which are copied; what no
  /// transform takes over is among the losses, with counts.
  ///
  /// - Parameters:
  ///   - store: Where the store is.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model that it is opened with.
  /// - Returns: nil when the transforms are not for the store's version and its configuration.
  /// - Throws: ``PersistenceError`` with the codes that
  ///   ``migrate(_:from:metadata:to:reporter:)`` throws for names and for changes that cannot be inferred, and what
  ///   reading the store throws.
  /// - Complexity: Counts the records of each entity, and those that lose something; nothing is written.
  public func plan(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel
  ) throws -> MigrationPlan? {
    try transforming(store, from: source, metadata, to: destination)?.plan()
  }

  private func transforming(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel,
    _ metadata: StoreMetadata, to destination: ManagedObjectModel
  ) -> TransformPlan? {
    guard sourceModels.isEmpty || sourceModels.contains(where: { metadata.isOfVersion($0) }) else {
      return nil
    }
    return TransformPlan(
      transforms: transforms, source: source, destination: destination, metadata: metadata,
      store: store)
  }
}

extension StoreMetadata {
  /// Whether the entities of the store are those of a model.
  fileprivate func isOfVersion(_ model: ManagedObjectModel) -> Bool {
    let hashes = model.entityVersionHashesByName
    return entityVersionHashes.allSatisfy { hashes[$0.key] == $0.value }
  }
}
