// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// How a program brings stores to its model where that cannot be inferred: mapping models, or stages.
///
/// ```swift
/// description.migration = stages
/// ```
public protocol StoreMigration: Sendable {
  /// Models that a store may have been written with. The store's own text of its model comes first.
  var sourceModels: [ManagedObjectModel] { get }

  /// Brings a store to a model. The store is not open.
  ///
  /// - Parameters:
  ///   - store: Where the store is. Opened with this description and the source model it is as it was.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model that it is opened with.
  ///   - reporter: Told of progress; it throws when the migration is cancelled.
  /// - Returns: Whether the store is of the new version now; false leaves the migration to inference.
  /// - Throws: What went wrong; the store is of the old version, or of one between.
  func migrate(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel, reporter: MigrationReporter
  ) throws -> Bool

  /// Says what ``migrate(_:from:metadata:to:reporter:)`` would do, for a dry run. The store is not open, and nothing is
  /// written; nil unless a conformer says otherwise.
  ///
  /// - Parameters:
  ///   - store: Where the store is.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model that it is opened with.
  /// - Returns: The plan; nil where the migration is left to inference.
  /// - Throws: What `migrate` would throw before it has begun.
  func plan(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel
  ) throws -> MigrationPlan?

  /// Whether a store that is of the right version already was left by a migration that has something to do yet; false
  /// unless a conformer says otherwise. ``migrate(_:from:metadata:to:reporter:)`` is called then with equal models.
  ///
  /// - Parameter metadata: The store's metadata.
  func isPending(in metadata: StoreMetadata) -> Bool
}

extension StoreMigration {
  /// False: what has changed the version is done.
  ///
  /// - Parameter metadata: The store's metadata.
  public func isPending(in metadata: StoreMetadata) -> Bool { false }

  /// nil: the plan is that of an inferred migration.
  ///
  /// - Parameters:
  ///   - store: Where the store is.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model that it is opened with.
  public func plan(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel
  ) throws -> MigrationPlan? { nil }
}
