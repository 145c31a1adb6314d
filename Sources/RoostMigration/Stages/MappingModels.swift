// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
public import RoostModel
public import RoostStore

/// Migrates stores with mapping models when they are added.
///
/// The store is migrated into a second place beside it, for a file `NAME.migrating`, which replaces it when it is
/// complete: the old store or the new one is in place, however the process ends. The store keeps its UUID.
///
/// ```swift
/// description.migration = MappingModels([mapping])
/// ```
public struct MappingModels: StoreMigration {
  /// The mapping models. The first that leads from the store's model to the new one is used; when none is for these
  /// models, the migration is inferred if that is allowed. A mapping model whose entities are in both models, but not
  /// its properties, throws an error.
  public let mappings: [MappingModel]
  private let models: [ManagedObjectModel]
  /// The folders to search for further mapping models.
  private let folders: [URL]

  /// Models of stores that do not keep their own model.
  public var sourceModels: [ManagedObjectModel] {
    models
      + folders.flatMap { ModelFolder.models(in: $0) }
      .flatMap { (try? ModelFolder.versions(at: $0)) ?? [] }
  }

  /// Makes a migration from copies of mapping models.
  ///
  /// - Parameters:
  ///   - mappings: The mapping models, in the order of their priority.
  ///   - sourceModels: Models of stores that do not keep their own model, such as those of an early version of Roost.
  public init(_ mappings: [MappingModel], sourceModels: [ManagedObjectModel] = []) {
    self.mappings = mappings.map { $0.copy() }
    models = sourceModels
    folders = []
  }

  /// Takes the mapping models, and the models, among the resources of bundles. Nothing is read until a store has to be
  /// migrated.
  ///
  /// - Parameter bundles: The bundles; nil for the program's own.
  public init(in bundles: [Bundle]?) {
    mappings = []
    models = []
    folders = (bundles ?? [.main]).map { $0.resourceURL ?? $0.bundleURL }
  }

  /// Migrates a store to a model.
  ///
  /// - Parameters:
  ///   - store: The description of the store.
  ///   - source: The model with which the store was written.
  ///   - metadata: The store's metadata.
  ///   - destination: The model with which it is opened.
  ///   - reporter: Receives progress.
  /// - Returns: Whether one of the mapping models leads from one model to the other.
  /// - Throws: ``PersistenceError`` with the codes of
  ///   ``MigrationManager/migrateStore(from:type:options:mapping:to:type:options:)``, and `storeBusy` when the store
  ///   is in use elsewhere or was written meanwhile; the store is then unchanged.
  public func migrate(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel, reporter: MigrationReporter
  ) throws -> Bool {
    guard let mapping = try mapping(from: source, to: destination) else { return false }
    try InPlaceMigration(
      store: store, source: source, metadata: metadata, destination: destination,
      mapping: mapping, reporter: reporter,
      inspect: { try losses(of: mapping, source, destination).refuse($0, store.evolution) }
    ).run()
    return true
  }

  private func losses(
    of mapping: MappingModel, _ source: ManagedObjectModel, _ destination: ManagedObjectModel
  ) -> MappingLosses {
    MappingLosses(mapping: mapping, source: source.entities, destination: destination)
  }

  /// Returns the plan of a migration: the entities whose objects are migrated, and those whose objects are dropped.
  /// Values that no mapping reads are not counted.
  ///
  /// - Parameters:
  ///   - store: The description of the store.
  ///   - source: The model with which the store was written.
  ///   - metadata: The store's metadata.
  ///   - destination: The model with which it is opened.
  /// - Returns: nil when none of the mapping models leads from one model to the other.
  /// - Throws: The ``PersistenceError`` that ``migrate(_:from:metadata:to:reporter:)`` throws before it begins, and
  ///   the errors of reading the store.
  /// - Complexity: Counts the records of each entity; nothing is written.
  public func plan(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel
  ) throws -> MigrationPlan? {
    guard let mapping = try mapping(from: source, to: destination) else { return nil }
    let census = try StoreCensus(store, source)
    return try InPlacePlan(
      store: store, metadata: metadata, destination: destination, census: census
    ).plan(
      mapping, changes: mapping.entityMappings.map(\.description),
      losses: losses(of: mapping, source, destination).entities(census))
  }

  private func mapping(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) throws -> MappingModel? {
    let given = try given(from: source, to: destination)
    guard let mapping = given ?? MappingModel(in: folders, from: source, to: destination),
      // An inferred migration needs no mapping model: the result is the same, at less cost (M26).
      !mapping.isInferred
    else { return nil }
    return mapping
  }

  /// Returns the program's mapping model from one model to the other; nil for none.
  ///
  /// - Throws: The error of a mapping model for entities of both models that does not match them, for example by an
  ///   unknown property: inferring the change instead could lose the data that the mapping model should keep.
  private func given(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) throws -> MappingModel? {
    if let found = mappings.first(where: { $0.leads(from: source, to: destination) }) {
      return found
    }
    for mapping in mappings where mapping.namesEntities(of: source, and: destination) {
      _ = try MappingCompiler(
        mapping: mapping, sourceModel: source, destinationModel: destination
      ).run()
    }
    return nil
  }
}
