// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel
public import RoostObjects
import RoostQuery
package import RoostStore
import Synchronization

/// Makes a store of one model version from a store of another, by a mapping model.
///
/// The source is only read. The manager goes through the mappings three times: it makes the objects, connects them
/// and validates them; see ``EntityMigrationPolicy`` for the order of the calls. A new destination is removed again
/// when anything fails.
///
/// ```swift
/// let manager = MigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///   from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
nonisolated open class MigrationManager: @unchecked Sendable {
  // Sendable: a manager is used by the thread that migrates; state for other threads is behind a lock.

  /// The model of the store that is read.
  public final let sourceModel: ManagedObjectModel
  /// The model of the store that is written.
  public final let destinationModel: ManagedObjectModel
  /// Whether ``migrateStore(from:type:options:mapping:to:type:options:)`` may copy the store and migrate the copy by
  /// inference, without making an object, where the result is the same: the mapping model was inferred, both stores
  /// have one type, and the destination does not exist. True by default.
  ///
  /// A mapping model with expressions of its own is always carried out object by object.
  open var usesStoreSpecificMigrationManager = true
  /// Additional information for the program's policies.
  open var userInfo: [AnyHashable: Any]?
  /// Receives progress in addition to ``migrationProgress``; an error that it throws ends the migration.
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

  /// Cancels a running migration, within the object that is being made; `migrateStore` throws the error. It may be
  /// called on any thread.
  ///
  /// - Parameter error: The error that `migrateStore` throws.
  open func cancelMigrationWithError(_ error: any Error) {
    shared.withLock { $0.cancellation = $0.cancellation ?? error }
  }

  /// Forgets an earlier migration: its associations, its progress and that it was cancelled. `migrateStore` does it by
  /// itself when it ends.
  open func reset() {
    run = nil
    shared.withLock { $0 = Shared() }
  }

  /// The progress of the migration, from 0 to 1. It may be read on any thread.
  open var migrationProgress: Float { shared.withLock { $0.progress } }

  func noteProgress(_ progress: Float) {
    shared.withLock { $0.progress = max($0.progress, min(1, progress)) }
  }

  /// - Throws: The error with which the migration was cancelled.
  func checkCancellation() throws {
    if let error = shared.withLock({ $0.cancellation }) { throw error }
  }

  /// Resets the progress. A cancellation that another thread has requested before remains in effect.
  func beginAnew() {
    shared.withLock { $0.progress = 0 }
  }

  /// The running migration.
  func requireRun() throws -> MigrationRun {
    guard let run else {
      throw PersistenceError(
        .migration, "No migration is going on: call migrateStore, which calls the policies.")
    }
    return run
  }
}

// MARK: - Queries of policies

extension MigrationManager {
  /// The mapping model of the running migration.
  public final var mappingModel: MappingModel { run?.mapping ?? MappingModel() }

  /// The context of the source objects; without a store unless a migration is running.
  public final var sourceContext: ManagedObjectContext {
    run?.stores.sourceContext ?? ManagedObjectContext(.privateQueue)
  }

  /// The context of the destination objects; without a store unless a migration is running.
  public final var destinationContext: ManagedObjectContext {
    run?.stores.destinationContext ?? ManagedObjectContext(.privateQueue)
  }

  /// The mapping that is being worked on.
  public final var currentEntityMapping: EntityMapping {
    run?.current?.mapping ?? EntityMapping()
  }

  /// The source entity of a mapping, in the context's model; nil for a mapping without one.
  ///
  /// - Parameter mEntity: A mapping.
  public final func sourceEntity(for mEntity: EntityMapping) -> EntityDescription? {
    let model = run?.stores.source.model ?? sourceModel
    return mEntity.sourceEntityName.flatMap { model.entitiesByName[$0] }
  }

  /// The destination entity of a mapping, in the context's model; nil for a mapping without one.
  ///
  /// - Parameter mEntity: A mapping.
  public final func destinationEntity(for mEntity: EntityMapping) -> EntityDescription? {
    let model = run?.stores.destination.model ?? destinationModel
    return mEntity.destinationEntityName.flatMap { model.entitiesByName[$0] }
  }

  /// Associates an object with its source object, so that relationships can be mapped.
  ///
  /// A source object may have any number of destination objects, and a destination object may have no source object.
  ///
  /// - Parameters:
  ///   - sourceInstance: An object of the source context.
  ///   - destinationInstance: An object of the destination context.
  ///   - entityMapping: The mapping that made the destination object.
  public final func associate(
    sourceInstance: ManagedObject, withDestinationInstance destinationInstance: ManagedObject,
    for entityMapping: EntityMapping
  ) {
    run?.associate(sourceInstance, destinationInstance, entityMapping)
  }

  /// Returns the destination objects of source objects, in the order of the latter.
  ///
  /// - Parameters:
  ///   - mappingName: The mapping that made the objects.
  ///   - sourceInstances: Objects of the source context; nil for all.
  public final func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [ManagedObject]?
  ) -> [ManagedObject] {
    run?.destinations(ofMapping: mappingName, sourceInstances) ?? []
  }

  /// Returns the source objects of destination objects, in the order of the latter.
  ///
  /// - Parameters:
  ///   - mappingName: The mapping that made the objects.
  ///   - destinationInstances: Objects of the destination context; nil for all.
  public final func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [ManagedObject]?
  ) -> [ManagedObject] {
    run?.sources(ofMapping: mappingName, destinationInstances) ?? []
  }
}

extension MigrationManager: KeyedValues {
  /// The keys that `$manager` has in expressions.
  static let keys: Set<String> = ["userInfo", "currentEntityMapping"]

  package func plainValue(forKey key: String) throws -> Any? {
    switch key {
    case "userInfo": return userInfo ?? [:]
    case "currentEntityMapping": return currentEntityMapping
    default: throw PersistenceError(.unknownKey, "$manager has no key “\(key)”.", key: key)
    }
  }
}
