// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
public import RoostStore

extension PersistentContainer {
  /// Returns the plan of what ``loadPersistentStores()`` would do to a store of another model version, as a dry run.
  ///
  /// ```swift
  /// for description in container.persistentStoreDescriptions {
  ///   if let plan = try container.migrationPlan(for: description) { print(plan) }
  /// }
  /// ```
  /// - Parameter description: The description of the store. The plan includes what its `migration` would do.
  /// - Returns: nil when there is no store, or nothing to migrate.
  /// - Throws: ``PersistenceError`` with the code that adding the store would throw, such as `inferredMappingModel`.
  /// - Complexity: Reads the old model, and counts the records that the steps concern; nothing is written.
  public final func migrationPlan(
    for description: PersistentStoreDescription
  ) throws -> MigrationPlan? {
    try MigrationPlan(for: description, model: managedObjectModel)
  }

  /// Observes the migrations of this container's stores from now on.
  ///
  /// ```swift
  /// container.migrations { progress in
  ///   print("\(progress.step) of \(progress.stepCount): \(progress.title)")
  /// }
  /// ```
  /// - Parameter body: Called with each report, on the thread of the migration. An error that it throws cancels the
  ///   migration: the store stays as it was, and adding it throws `migrationCancelled`.
  public final func migrations(_ body: @escaping @Sendable (MigrationProgress) throws -> Void) {
    persistentStoreCoordinator.migrations.observe(body)
  }

  /// The progress of the migration of a store, from 0 to 1. Cancelling it cancels the migration: the store stays as
  /// it was, and adding it throws `migrationCancelled`.
  ///
  /// Get it before calling ``loadPersistentStores()``; a progress that was cancelled cancels later migrations too.
  public final var migrationProgress: Progress {
    persistentStoreCoordinator.migrations.progress
  }
}
