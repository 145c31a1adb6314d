// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostStore

extension MigrationPlan {
  /// Makes the plan of what adding a store would do to it: a dry run. The store is opened for reading only.
  ///
  /// ```swift
  /// if let plan = try MigrationPlan(for: description, model: model) { print(plan) }
  /// ```
  /// - Parameters:
  ///   - description: Where the store is. A mapping model or stages in its `migration` are not asked: the plan is that
  ///     of an inferred migration.
  ///   - model: The model that the store would be opened with; it is frozen.
  /// - Returns: nil when there is no store at the place, or nothing to be migrated.
  /// - Throws: ``PersistenceError`` with the code that adding the store would throw: `inferredMappingModel`,
  ///   `migrationMissingSourceModel`, `migrationConstraintViolation`, `migration`, and what opening throws.
  /// - Complexity: Reads the old model, and counts the records that steps concern; nothing is written.
  public init?(for description: PersistentStoreDescription, model: ManagedObjectModel) throws {
    try model.parsePredicates()
    try model.freeze()
    let version = try StoreVersion(model, configuration: description.configuration)
    var description = description
    description.isReadOnly = true
    try description.checkOptions()
    // A store of the version can serve another one besides, which is to go.
    let withdraws = description.evolution.versions == .abandon
    guard let metadata = try description.type.driver.metadata(of: description),
      withdraws || !version.matches(metadata)
    else { return nil }
    let store = try description.type.driver.open(description)
    defer { store.close() }
    guard withdraws || !version.matches(store.metadata) else { return nil }
    let evolver = StoreEvolver(
      version: version, description: description, monitor: MigrationMonitor(clock: { 0 }))
    try evolver.checkDirection(store)
    let isOne =
      description.evolution.versions == .one && store.evolution?.expansion?.secondVersion == nil
    guard !isOne else {
      self = try evolver.plan(store)
      return
    }
    guard let plan = try LiveVersions(evolver: evolver).plan(store) else { return nil }
    self = plan
  }
}
