// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A custom migration of stores, where it cannot be inferred: mapping models, or stages.
///
/// ```swift
/// description.migration = stages
/// ```
public protocol StoreMigration: Sendable {
  /// Models that a store may have been written with. The model that the store itself keeps takes precedence.
  var sourceModels: [ManagedObjectModel] { get }

  /// Migrates a store to a model. The store is not open.
  ///
  /// - Parameters:
  ///   - store: The location of the store. Opened with this description and the source model, the store is unchanged.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model to migrate to.
  ///   - reporter: Called with the progress; it throws when the migration is cancelled.
  /// - Returns: Whether the store was migrated; false leaves the migration to inference.
  /// - Throws: The errors of the migration; the store has the old version then, or an intermediate one.
  func migrate(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel, reporter: MigrationReporter
  ) throws -> Bool

  /// Returns the plan of ``migrate(_:from:metadata:to:reporter:)``, for a dry run. The store is not open, and nothing
  /// is written; nil by default.
  ///
  /// - Parameters:
  ///   - store: The location of the store.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model to migrate to.
  /// - Returns: The plan; nil where the migration is left to inference.
  /// - Throws: The errors that `migrate` would throw before it writes.
  func plan(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel
  ) throws -> MigrationPlan?

  /// Whether a migration of a store that already has the right version is unfinished; false by default.
  /// ``migrate(_:from:metadata:to:reporter:)`` is called then with equal models.
  ///
  /// - Parameter metadata: The store's metadata.
  func isPending(in metadata: StoreMetadata) -> Bool
}

extension StoreMigration {
  /// False: a migration is complete once the version has changed.
  ///
  /// - Parameter metadata: The store's metadata.
  public func isPending(in metadata: StoreMetadata) -> Bool { false }

  /// nil: the plan is that of an inferred migration.
  ///
  /// - Parameters:
  ///   - store: The location of the store.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model to migrate to.
  public func plan(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel
  ) throws -> MigrationPlan? { nil }
}
