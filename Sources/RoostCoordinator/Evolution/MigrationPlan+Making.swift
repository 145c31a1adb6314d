// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostStore

extension MigrationPlan {
  /// Plans what adding a store would do to it, as a dry run. The store is opened read-only.
  ///
  /// ```swift
  /// if let plan = try MigrationPlan(for: description, model: model) { print(plan) }
  /// ```
  /// - Parameters:
  ///   - description: The description of the store. The plan includes what its `migration` would do.
  ///   - model: The model to open the store with; it is frozen.
  /// - Returns: nil when there is no store, or nothing to migrate.
  /// - Throws: ``PersistenceError`` with the code that adding the store would throw: `inferredMappingModel`,
  ///   `migrationMissingSourceModel`, `migrationConstraintViolation`, `migration`, and what opening throws.
  /// - Complexity: Reads the old model, and counts the records that the steps concern; nothing is written.
  public init?(for description: PersistentStoreDescription, model: ManagedObjectModel) throws {
    try model.parsePredicates()
    try model.freeze()
    let version = try StoreVersion(model, configuration: description.configuration)
    var description = description
    description.isReadOnly = true
    try description.checkOptions()
    // A store of this version may serve another version as well, which is to be withdrawn.
    let withdraws = description.evolution.versions == .abandon
    func isConcerned(_ metadata: StoreMetadata) -> Bool {
      withdraws || !version.matches(metadata)
        || description.migration?.isPending(in: metadata) ?? false
    }
    guard let metadata = try description.type.driver.metadata(of: description),
      isConcerned(metadata)
    else { return nil }
    let store = try description.type.driver.open(description)
    defer { store.close() }
    guard isConcerned(store.metadata) else { return nil }
    let evolver = StoreEvolver(
      version: version, description: description, monitor: MigrationMonitor(clock: { 0 }))
    try evolver.checkDirection(store)
    let isOne =
      description.evolution.versions == .one && store.evolution?.expansion?.secondVersion == nil
    guard !isOne else {
      guard let migration = description.migration else {
        self = try evolver.plan(store)
        return
      }
      let source = try evolver.sourceModel(of: store)
      let metadata = store.metadata
      // The migration opens the store itself, and some engines allow only one handle to a file.
      store.close()
      if let plan = try migration.plan(description, from: source, metadata: metadata, to: model) {
        self = plan
        return
      }
      let again = try description.type.driver.open(description)
      defer { again.close() }
      self = try evolver.plan(again)
      return
    }
    guard let plan = try LiveVersions(evolver: evolver).plan(store) else { return nil }
    self = plan
  }
}
