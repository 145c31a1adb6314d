// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel
public import RoostObjects
import RoostQuery
package import RoostStore
import Synchronization

/// Makes a store of one version of a model out of a store of another, as a mapping model says.
///
/// The source is only read. The manager goes through the mappings three times: it makes the objects, connects them and
/// validates them; see ``EntityMigrationPolicy`` for what is called when. A destination that did not exist is removed
/// again when anything fails.
///
/// ```swift
/// let manager = MigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///   from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
nonisolated open class MigrationManager: @unchecked Sendable {
  // Sendable: a manager is used by the thread that migrates; what others may call is behind a lock.

  /// The model of the store that is read.
  public final let sourceModel: ManagedObjectModel
  /// The model of the store that is written.
  public final let destinationModel: ManagedObjectModel
  /// Whether ``migrateStore(from:type:options:mapping:to:type:options:)`` copies the store and lets the copy follow the
  /// model by itself, without making an object, where that gives the same: the mapping model was inferred, both stores
  /// are of one type, and the destination is not there. True.
  ///
  /// Mapping models with expressions of their own are always carried out object by object.
  open var usesStoreSpecificMigrationManager = true
  /// What the program's policies want to know of the migration.
  open var userInfo: [AnyHashable: Any]?
  /// Told of progress beside ``migrationProgress``; what it throws ends the migration.
  package final var reporter: MigrationReporter?
  final var run: MigrationRun?
  private let shared = Mutex(Shared())

  private struct Shared {
    var cancellation: (any Error)?
    var progress: Float = 0
  }

  /// Makes a manager for two models.
  ///
  /// - Parameters:
  ///   - sourceModel: The model of the stores that are read.
  ///   - destinationModel: The model of the stores that are written.
  public init(sourceModel: ManagedObjectModel, destinationModel: ManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
  }

  /// Ends a migration that is going on, within the object that is being made; `migrateStore` throws the error. It may
  /// be called on any thread.
  ///
  /// - Parameter error: What `migrateStore` is to throw.
  open func cancelMigrationWithError(_ error: any Error) {
    shared.withLock { $0.cancellation = $0.cancellation ?? error }
  }

  /// Forgets an earlier migration: its associations, its progress and that it was cancelled. `migrateStore` does it by
  /// itself when it ends.
  open func reset() {
    run = nil
    shared.withLock { $0 = Shared() }
  }

  /// How far the migration is, from 0 to 1. It may be asked for on any thread.
  open var migrationProgress: Float { shared.withLock { $0.progress } }

  func noteProgress(_ progress: Float) {
    shared.withLock { $0.progress = max($0.progress, min(1, progress)) }
  }

  /// - Throws: The error with which the migration was cancelled.
  func checkCancellation() throws {
    if let error = shared.withLock({ $0.cancellation }) { throw error }
  }

  /// Takes over the error of a migration that another thread has cancelled.
  func beginAnew() {
    shared.withLock { $0.progress = 0 }
  }

  /// The migration that is going on.
  func requireRun() throws -> MigrationRun {
    guard let run else {
      throw PersistenceError(
        .migration, "No migration is going on: call migrateStore, which calls the policies.")
    }
    return run
  }
}

// MARK: - What policies ask

extension MigrationManager {
  /// The mapping model of the migration that is going on.
  public final var mappingModel: MappingModel { run?.mapping ?? MappingModel() }

  /// The context of the objects that are read; without a store unless a migration is going on.
  public final var sourceContext: ManagedObjectContext {
    run?.stores.sourceContext ?? ManagedObjectContext(.privateQueue)
  }

  /// The context of the objects that are made; without a store unless a migration is going on.
  public final var destinationContext: ManagedObjectContext {
    run?.stores.destinationContext ?? ManagedObjectContext(.privateQueue)
  }

  /// The mapping that is being worked on.
  public final var currentEntityMapping: EntityMapping {
    run?.current?.mapping ?? EntityMapping()
  }

  /// The entity whose objects a mapping takes, in the context's model; nil for a mapping that takes none.
  ///
  /// - Parameter mEntity: A mapping.
  public final func sourceEntity(for mEntity: EntityMapping) -> EntityDescription? {
    let model = run?.stores.source.model ?? sourceModel
    return mEntity.sourceEntityName.flatMap { model.entitiesByName[$0] }
  }

  /// The entity whose objects a mapping makes, in the context's model; nil for a mapping that makes none.
  ///
  /// - Parameter mEntity: A mapping.
  public final func destinationEntity(for mEntity: EntityMapping) -> EntityDescription? {
    let model = run?.stores.destination.model ?? destinationModel
    return mEntity.destinationEntityName.flatMap { model.entitiesByName[$0] }
  }

  /// Says that an object was made of another one, so that relationships find it.
  ///
  /// An object of the source may have any number of objects that were made of it, and an object that was made may have
  /// none that it was made of.
  ///
  /// - Parameters:
  ///   - sourceInstance: An object of the source context.
  ///   - destinationInstance: An object of the destination context.
  ///   - entityMapping: The mapping that made it.
  public final func associate(
    sourceInstance: ManagedObject, withDestinationInstance destinationInstance: ManagedObject,
    for entityMapping: EntityMapping
  ) {
    run?.associate(sourceInstance, destinationInstance, entityMapping)
  }

  /// The objects that were made of others, in the order of these.
  ///
  /// - Parameters:
  ///   - mappingName: The mapping that made them.
  ///   - sourceInstances: Objects of the source context; nil for all.
  public final func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [ManagedObject]?
  ) -> [ManagedObject] {
    run?.destinations(ofMapping: mappingName, sourceInstances) ?? []
  }

  /// The objects of which others were made, in the order of these.
  ///
  /// - Parameters:
  ///   - mappingName: The mapping that made them.
  ///   - destinationInstances: Objects of the destination context; nil for all.
  public final func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [ManagedObject]?
  ) -> [ManagedObject] {
    run?.sources(ofMapping: mappingName, destinationInstances) ?? []
  }
}

extension MigrationManager: KeyedValues {
  /// What an expression can ask of `$manager`.
  static let keys: Set<String> = ["userInfo", "currentEntityMapping"]

  package func plainValue(forKey key: String) throws -> Any? {
    switch key {
    case "userInfo": return userInfo ?? [:]
    case "currentEntityMapping": return currentEntityMapping
    default: throw PersistenceError(.unknownKey, "$manager has no key “\(key)”.", key: key)
    }
  }
}
