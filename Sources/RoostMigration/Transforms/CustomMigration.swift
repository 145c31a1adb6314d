// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostStore

/// Migrates stores by inference, with code of the program for changes that cannot be inferred.
///
/// Changes without a transform are inferred, and objects keep their IDs. The store is migrated into a second place
/// beside it, as by ``MappingModels``: the old store or the new one is in place, however the process ends. The code
/// runs in batches, all or nothing; adding the store rethrows an error of the code, and leaves the store unchanged.
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
  ///   - transforms: The transforms of entities.
  ///   - versions: The model versions that the transforms are for, such as those of a lock file
  ///     (``ModelLock/Version/model()``); stores of other versions are left to inference. Empty for any version: then
  ///     the old entities and properties that transforms name must exist in each.
  public init(_ transforms: [EntityTransform], from versions: [ManagedObjectModel] = []) {
    self.transforms = transforms
    sourceModels = versions
  }

  /// Migrates a store to a model.
  ///
  /// - Parameters:
  ///   - store: The description of the store.
  ///   - source: The model with which the store was written.
  ///   - metadata: The store's metadata.
  ///   - destination: The model with which it is opened.
  ///   - reporter: Receives progress.
  /// - Returns: Whether the transforms are for the store's version and its configuration.
  /// - Throws: ``PersistenceError`` with code `unknownEntity`, `abstractEntity` or `unknownKey` when a transform uses
  ///   a name that the models do not have, `inferredMappingModel` for other changes that cannot be inferred,
  ///   `migration` for losses that the store's evolution policy forbids, validation errors for objects that break a
  ///   rule of the new model, the codes of
  ///   ``MigrationManager/migrateStore(from:type:options:mapping:to:type:options:)``, and the errors of a transform;
  ///   the store is then unchanged.
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

  /// Returns the plan of a migration: the entities that are transformed, and those that are copied; the losses, with
  /// counts, include all data that no transform preserves.
  ///
  /// - Parameters:
  ///   - store: The description of the store.
  ///   - source: The model with which the store was written.
  ///   - metadata: The store's metadata.
  ///   - destination: The model with which it is opened.
  /// - Returns: nil when the transforms are not for the store's version and its configuration.
  /// - Throws: ``PersistenceError`` with the codes that ``migrate(_:from:metadata:to:reporter:)`` throws for names
  ///   and for changes that cannot be inferred, and the errors of reading the store.
  /// - Complexity: Counts the records of each entity, and those that lose data; nothing is written.
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
