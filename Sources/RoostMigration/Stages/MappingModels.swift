// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
public import RoostModel
public import RoostStore

/// Has stores follow mapping models when they are added.
///
/// The store is migrated into a second place beside it, a file into `NAME.migrating`, which takes its place when it is
/// complete: what is there is the old store or the new one, whatever ends the process. The store keeps its UUID.
///
/// ```swift
/// description.migration = MappingModels([mapping])
/// ```
public struct MappingModels: StoreMigration {
  /// The mapping models. The first that leads from the store's model to the new one is taken; where none is of these
  /// models, the migration is inferred if that is allowed. One whose entities are in both models and whose properties
  /// are not is refused.
  public let mappings: [MappingModel]
  private let models: [ManagedObjectModel]
  /// The folders in which further ones are looked for.
  private let folders: [URL]

  /// Models that a store may have been written with that does not keep its model itself.
  public var sourceModels: [ManagedObjectModel] {
    models
      + folders.flatMap { ModelFolder.models(in: $0) }
      .flatMap { (try? ModelFolder.versions(at: $0)) ?? [] }
  }

  /// Takes mapping models, which are copied.
  ///
  /// - Parameters:
  ///   - mappings: The mapping models, the first one first.
  ///   - sourceModels: Models that a store may have been written with that does not keep its model itself, as one of an
  ///     early version of Roost.
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

  /// Brings a store to a model.
  ///
  /// - Parameters:
  ///   - store: Where the store is.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model that it is opened with.
  ///   - reporter: Told of progress.
  /// - Returns: Whether one of the mapping models leads from one model to the other.
  /// - Throws: ``PersistenceError`` with the codes of
  ///   ``MigrationManager/migrateStore(from:type:options:mapping:to:type:options:)``, and `storeBusy` when the store is
  ///   in use elsewhere or was written meanwhile; the store is as it was.
  public func migrate(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel, reporter: MigrationReporter
  ) throws -> Bool {
    guard let mapping = try mapping(from: source, to: destination) else { return false }
    try InPlaceMigration(
      store: store, source: source, metadata: metadata, destination: destination,
      mapping: mapping, reporter: reporter
    ).run()
    return true
  }

  /// Says what a migration would do: of which objects others are made, and of which nothing. Values that no mapping
  /// reads are not counted.
  ///
  /// - Parameters:
  ///   - store: Where the store is.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model that it is opened with.
  /// - Returns: nil when none of the mapping models leads from one model to the other.
  /// - Throws: ``PersistenceError`` as ``migrate(_:from:metadata:to:reporter:)`` throws before it begins, and what
  ///   reading the store throws.
  /// - Complexity: Counts the records of each entity; nothing is written.
  public func plan(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel
  ) throws -> MigrationPlan? {
    guard let mapping = try mapping(from: source, to: destination) else { return nil }
    let census = try StoreCensus(store, source)
    let read = Set(mapping.entityMappings.filter(\.makesInstances).map(\.sourceEntityName))
    let losses = try source.entities.filter { !$0.isAbstract && !read.contains($0.name) }
      .map { MigrationPlan.Loss(name: $0.name ?? "", count: try census.records(of: $0.name ?? "")) }
    return try InPlacePlan(
      store: store, metadata: metadata, destination: destination, census: census
    ).plan(
      mapping, changes: mapping.entityMappings.map(\.description),
      losses: losses.filter { $0.count > 0 })
  }

  private func mapping(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) throws -> MappingModel? {
    let given = try given(from: source, to: destination)
    guard let mapping = given ?? MappingModel(in: folders, from: source, to: destination),
      // Stores follow an inferred one by themselves, which leads to the same and takes less (M26).
      !mapping.isInferred
    else { return nil }
    return mapping
  }

  /// The mapping model of the program that leads from one model to the other; nil for none.
  ///
  /// - Throws: What is wrong with one that is of entities of both models and leads nowhere, as for the name of a
  ///   property that is not there: inferring the change instead could lose what the mapping model was to keep.
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
