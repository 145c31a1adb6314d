// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
public import RoostStore

extension PersistentContainer {
  /// Returns what ``loadPersistentStores()`` would do to a store of another version of the model: a dry run.
  ///
  /// ```swift
  /// for description in container.persistentStoreDescriptions {
  ///   if let plan = try container.migrationPlan(for: description) { print(plan) }
  /// }
  /// ```
  /// - Parameter description: Where the store is. What its `migration` would do is a part of the plan.
  /// - Returns: nil when there is no store at the place, or nothing to be migrated.
  /// - Throws: ``PersistenceError`` with the code that adding the store would throw, as `inferredMappingModel`.
  /// - Complexity: Reads the old model, and counts the records that steps concern; nothing is written.
  public final func migrationPlan(
    for description: PersistentStoreDescription
  ) throws -> MigrationPlan? {
    try MigrationPlan(for: description, model: managedObjectModel)
  }

  /// Follows the migrations of this container's stores from now on.
  ///
  /// ```swift
  /// container.migrations { progress in
  ///   print("\(progress.step) of \(progress.stepCount): \(progress.title)")
  /// }
  /// ```
  /// - Parameter body: Called with each report, on the thread of the migration. What it throws cancels the migration:
  ///   the store stays as it was, and adding it throws `migrationCancelled`.
  public final func migrations(_ body: @escaping @Sendable (MigrationProgress) throws -> Void) {
    persistentStoreCoordinator.migrations.observe(body)
  }

  /// How far the migration of a store is, from 0 to 1. To cancel it cancels the migration: the store stays as it was,
  /// and adding it throws `migrationCancelled`.
  ///
  /// Ask for it before ``loadPersistentStores()``; a progress that was cancelled cancels later migrations too.
  public final var migrationProgress: Progress {
    persistentStoreCoordinator.migrations.progress
  }
}
