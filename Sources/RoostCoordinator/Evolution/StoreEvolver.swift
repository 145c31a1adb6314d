// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Brings a store of another version to the model: finds the old model, resolves the difference, plans, checks for
/// losses, copies the file, and changes the store.
struct StoreEvolver {
  let version: StoreVersion
  let description: PersistentStoreDescription
  let monitor: MigrationMonitor

  /// How the steps ended.
  enum Outcome {
    /// The store has the new version, or another process has changed it: open it anew.
    case reopen
    /// The program's own migration has to run; it opens the store itself.
    case custom(any StoreMigration, source: ManagedObjectModel)
  }

  /// Brings a store to the version.
  ///
  /// - Parameter asksMigration: Whether the description's migration is asked before the change is inferred.
  func run(_ store: any PersistentStore, asksMigration: Bool) throws -> Outcome {
    try checkAllowed(store)
    guard store.evolution != nil || description.migration != nil else {
      throw version.refusal(of: store.metadata, "Stores of this type do not follow their model.")
    }
    do {
      return try bring(store, asksMigration: asksMigration)
    } catch let error as PersistenceError where error.code != .migrationCancelled {
      // Another process may have just migrated the store, so that the reads mixed two versions.
      guard hasMoved(store) else { throw error }
      return .reopen
    }
  }

  private func bring(_ store: any PersistentStore, asksMigration: Bool) throws -> Outcome {
    let metadata = store.metadata
    let source = try sourceModel(of: store)
    if asksMigration, let migration = description.migration {
      return .custom(migration, source: source)
    }
    guard description.shouldInferMappingModelAutomatically else {
      throw PersistenceError(
        .migrationMissingMappingModel,
        "The store was written with another version of the model, no mapping model leads from it to "
          + "this one, and inference is switched off (shouldInferMappingModelAutomatically).")
    }
    guard let evolution = store.evolution else {
      throw version.refusal(of: metadata, "Stores of this type do not follow their model.")
    }
    // Counts records, and searches for those that prevent the migration.
    let (plan, change, target) = try monitor.cancellable {
      try prepare(store, source, store.cancellable(by: $0).evolution ?? evolution)
    }
    try checkLosses(plan)
    try StoreSpace.require(plan.estimate)
    guard !metadata.hasDeferredRemovals else {
      try Self.finishDeferred(evolution)
      return .reopen
    }
    let backup = StoreBackup(description: description, checksum: metadata.versionChecksum)
    let isCopied = writesRecords(plan) && description.evolution.backup == .beforeRewrite
    var lock: MigrationLock?
    defer { withExtendedLifetime(lock) {} }
    if isCopied {
      // The copy must be of the old version: it is made while no other process can migrate the store.
      lock = try backup.lock()
      guard !hasMoved(store) else { return .reopen }
      try backup.make()
      // A migration that writes no records takes no lock, so the copy may already have its version.
      guard !hasMoved(store) else {
        backup.remove()
        return .reopen
      }
    }
    let isDone = try monitor.reporting(on: description, stepCount: plan.steps.count) {
      // With a cancellation, statements can be cancelled while they run.
      let answering = $0.cancellation.map { store.cancellable(by: $0).evolution } ?? nil
      return try evolving(answering ?? evolution, change, target, $0, isCopied ? backup : nil)
    }
    if isDone {
      description.log?.remark("The store was migrated: \(plan.changes.joined(separator: "; "))")
      removeEarlierBackups(metadata)
      monitor.finish()
    }
    return .reopen
  }

  /// Finishes the deferred steps of an earlier migration (M31): what they remove must be gone before the same names
  /// and codes are used again.
  static func finishDeferred(_ evolution: any StoreEvolution) throws {
    while try evolution.finishDeferredStep(isEvolving: true) {}
  }

  /// Changes the store. After an error the store is unchanged, so the copy is removed.
  private func evolving(
    _ evolution: any StoreEvolution, _ change: SchemaChange, _ target: StoreMetadata,
    _ reporter: MigrationReporter, _ backup: StoreBackup?
  ) throws -> Bool {
    do {
      return try evolution.evolve(change, to: target, reporter: reporter)
    } catch {
      backup?.remove()
      throw error
    }
  }

  /// Removes the copies of earlier migrations: the store was opened, and only the last migration's copy is kept.
  private func removeEarlierBackups(_ metadata: StoreMetadata) {
    for former in metadata.formerVersions ?? [] where former != metadata.versionChecksum {
      StoreBackup(description: description, checksum: former).remove()
    }
  }

  /// Whether the store's version has changed since it was opened. Only reads the metadata: where an engine allows one
  /// handle per file, opening the store again would wait for this handle forever.
  private func hasMoved(_ store: any PersistentStore) -> Bool {
    guard let now = try? description.type.driver.metadata(of: description) else { return false }
    return now.versionChecksum != store.metadata.versionChecksum
      || now.entityVersionHashes != store.metadata.entityVersionHashes
  }

  /// Returns the plan of ``run(_:asksMigration:)``.
  func plan(_ store: any PersistentStore) throws -> MigrationPlan {
    let source = try sourceModel(of: store)
    guard let evolution = store.evolution else {
      throw version.refusal(of: store.metadata, "Stores of this type do not follow their model.")
    }
    return try prepare(store, source, evolution).plan
  }

  /// The model that a store was written with.
  func sourceModel(of store: any PersistentStore) throws -> ManagedObjectModel {
    try SourceModel(
      metadata: store.metadata, migration: description.migration,
      places: description.earlierModels
    ).find(store.evolution)
  }

  private func prepare(
    _ store: any PersistentStore, _ source: ManagedObjectModel, _ evolution: any StoreEvolution
  ) throws -> (plan: MigrationPlan, change: SchemaChange, metadata: StoreMetadata) {
    let metadata = store.metadata
    let resolution = try EvolutionResolution(
      version: version, source: source, metadata: metadata, identity: store.identity,
      policy: description.evolution)
    let plan = plan(store, resolution, try evolution.steps(of: resolution.change))
    return (plan, resolution.change, resolution.metadata)
  }

  /// The plan of some steps.
  func plan(
    _ store: any PersistentStore, _ resolution: EvolutionResolution, _ steps: [MigrationPlan.Step]
  ) -> MigrationPlan {
    var plan = MigrationPlan(
      source: store.metadata.versionChecksum, destination: version.checksum,
      changes: resolution.difference.changes.map(\.description), steps: steps,
      losses: Self.losses(of: steps))
    let space = StoreSpace(of: description)
    plan.makeEstimate(
      defers: description.evolution.defersLightweightMigration, fileBytes: space.fileBytes,
      freeBytes: space.freeBytes)
    return plan
  }

  /// The data that steps remove.
  static func losses(of steps: [MigrationPlan.Step]) -> [MigrationPlan.Loss] {
    steps.filter { $0.kind == .drop && $0.rows > 0 }
      .map { MigrationPlan.Loss(name: lostName($0), count: $0.rows) }
  }

  /// The name of the element that a step drops: its title without the verb.
  private static func lostName(_ step: MigrationPlan.Step) -> String {
    let verb = "drop "
    return step.title.hasPrefix(verb) ? String(step.title.dropFirst(verb.count)) : step.title
  }

  private func writesRecords(_ plan: MigrationPlan) -> Bool {
    let defers = description.evolution.defersLightweightMigration
    return plan.steps.contains {
      $0.kind.writesRecords && $0.rows > 0 && !(defers && $0.isDeferrable)
    }
  }

  // MARK: Refusing

  func checkAllowed(_ store: any PersistentStore) throws {
    try checkDirection(store)
    guard description.evolution.isAllowed, description.shouldMigrateStoreAutomatically else {
      throw version.refusal(of: store.metadata, "Its migration is switched off.")
    }
    guard !store.isReadOnly else {
      let plan = try? plan(store)
      let steps = plan.map { " It would take: " + $0.steps.map(\.title).joined(separator: ", ") }
      throw version.refusal(
        of: store.metadata,
        "It is open for reading only and cannot be migrated.\(steps ?? "")")
    }
  }

  /// Refuses to return to an earlier version, unless the description's policy allows it.
  func checkDirection(_ store: any PersistentStore) throws {
    let metadata = store.metadata
    if version.isFormer(of: metadata), !description.evolution.allowsEarlierVersion {
      throw version.refusal(
        of: metadata,
        "The store is newer than this model: it was migrated by a later version of the program. "
          + "Stores are not brought back to an earlier version by themselves.")
    }
  }

  func checkLosses(_ plan: MigrationPlan) throws {
    guard !description.evolution.allowsLoss, plan.isLossy else { return }
    let losses = plan.losses.map { "\($0.count) of \($0.name)" }.joined(separator: ", ")
    throw PersistenceError(
      .migration,
      "The migration would lose data, which the description's evolution policy forbids: \(losses).")
  }
}
