// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Which of the versions that a store serves it is opened with, and what is done to the store before: it is expanded,
/// so that it serves the model's version as well, or contracted, so that it serves no other (M40, M44, M45).
struct LiveVersions {
  let evolver: StoreEvolver

  private var version: StoreVersion { evolver.version }
  private var description: PersistentStoreDescription { evolver.description }
  private var policy: EvolutionPolicy { description.evolution }

  /// What is to be done with the store.
  enum Outcome: Equatable {
    /// It is opened, or migrated, as a store of one version.
    case asOne
    /// It is of the second version here, which is the model's.
    case asSecond
    /// It was changed, by this call or by another process: it is to be opened anew.
    case reopen
  }

  /// Settles it.
  ///
  /// - Throws: `invalidValue` for a store that serves one version and is asked for two, and for a throttle that
  ///   concerns nothing,
  ///   `persistentStoreIncompatibleVersionHash` for a third version, and what expanding and contracting throw.
  func settle(_ store: any PersistentStore) throws -> Outcome {
    try policy.checkThrottle()
    guard let expansion = store.evolution?.expansion else {
      guard policy.versions == .one else { throw refusalOfType }
      return .asOne
    }
    if policy.versions == .abandon { return try abandon(store, expansion) }
    if version.matches(store.metadata) { return .asOne }
    if let second = expansion.secondVersion {
      return try settle(store, expansion, second)
    }
    switch policy.versions {
    case .one: return .asOne
    case .expand: return try expand(store, expansion)
    case .contract:
      throw version.refusal(
        of: store.metadata,
        "There is nothing to contract: it does not serve this version. Expand it first, or migrate "
          + "it with .automatic while no program of the old version runs.")
    case .abandon: return .asOne
    }
  }

  private func settle(
    _ store: any PersistentStore, _ expansion: any StoreExpansion, _ second: SecondVersion
  ) throws -> Outcome {
    guard version.matches(second.metadata) else {
      guard !second.isComplete, policy.versions == .expand else {
        throw refusalOfThird(store.metadata, second)
      }
      // The model was edited since: what was added for the other one goes, and it is planned anew (M52).
      try checkWritable(store)
      // Nobody has used it.
      try expansion.abandonExpansion(
        evenComplete: false, ignoringSessions: policy.ignoresOpenSessions, allowingLoss: true)
      return .reopen
    }
    guard second.isComplete else {
      guard policy.versions == .expand else {
        throw version.refusal(
          of: store.metadata,
          "It is being expanded to this version. Try again later; where the expansion was "
            + "interrupted, open it with .expand, which goes on.")
      }
      return try expand(store, expansion)
    }
    guard policy.versions == .contract else {
      try expansion.adoptSecondVersion()
      return .asSecond
    }
    return try contract(store, expansion, second)
  }

  // MARK: Changing the store

  private func expand(
    _ store: any PersistentStore, _ expansion: any StoreExpansion
  ) throws -> Outcome {
    try checkWritable(store)
    try evolver.checkAllowed(store)
    guard description.migration == nil else {
      throw PersistenceError(
        .migration,
        "A mapping model or stages do not lead to two versions of a store: remove the description's "
          + "migration, or migrate with .automatic while no program of the old version runs.")
    }
    if store.metadata.hasDeferredMigration, let evolution = store.evolution {
      // Programs of either version would finish it under names of their own.
      try StoreEvolver.finishDeferred(evolution)
      return .reopen
    }
    let resolution = try resolve(store)
    let steps = try expansion.expansionSteps(of: resolution.change)
    // After the steps, the second version is let in.
    let isDone = try evolver.monitor.reporting(
      on: description, stepCount: steps.count + 1, records: steps.map(\.rows)
    ) {
      try answering(store, $0, expansion)
        .expand(resolution.change, to: resolution.metadata, reporter: $0)
    }
    if isDone {
      description.log?.remark(
        "The store was expanded: "
          + resolution.difference.changes.map(\.description).joined(separator: "; "))
      evolver.monitor.finish()
    }
    return .reopen
  }

  private func contract(
    _ store: any PersistentStore, _ expansion: any StoreExpansion, _ second: SecondVersion
  ) throws -> Outcome {
    try checkWritable(store)
    let resolution = try resolve(store, second)
    let plan = try evolver.plan(
      store, resolution, expansion.contractionSteps(of: resolution.change))
    try evolver.checkLosses(plan)
    let isDone = try evolver.monitor.reporting(on: description, stepCount: plan.steps.count) {
      try answering(store, $0, expansion).contract(
        resolution.change, ignoringSessions: policy.ignoresOpenSessions, reporter: $0)
    }
    if isDone {
      description.log?.remark("The store was contracted to version \(version.checksum).")
      evolver.monitor.finish()
    }
    return .reopen
  }

  /// What can be cancelled in the middle of a statement.
  private func answering(
    _ store: any PersistentStore, _ reporter: MigrationReporter, _ expansion: any StoreExpansion
  ) -> any StoreExpansion {
    guard let cancellation = reporter.cancellation else { return expansion }
    return store.cancellable(by: cancellation).evolution?.expansion ?? expansion
  }

  private func abandon(
    _ store: any PersistentStore, _ expansion: any StoreExpansion
  ) throws -> Outcome {
    guard let plan = try abandonment(store, expansion) else { return .asOne }
    try checkWritable(store)
    try evolver.checkLosses(plan)
    try expansion.abandonExpansion(
      evenComplete: true, ignoringSessions: policy.ignoresOpenSessions,
      allowingLoss: policy.allowsLoss)
    description.log?.remark("Version \(plan.source) of the store was withdrawn.")
    return .reopen
  }

  /// The plan of taking the second version away; nil where there is none.
  private func abandonment(
    _ store: any PersistentStore, _ expansion: any StoreExpansion
  ) throws -> MigrationPlan? {
    let second = expansion.secondVersion
    guard version.matches(store.metadata) else {
      guard let second, version.matches(second.metadata) else {
        throw version.refusal(
          of: store.metadata, "Only a program of its old version abandons an expansion.")
      }
      throw version.refusal(
        of: store.metadata,
        "It is this program's version that would be withdrawn. Let a program of the old version open "
          + "it with .abandon, or call roost migrate --abandon.")
    }
    guard let second else { return nil }
    let steps = try expansion.abandonmentSteps()
    return MigrationPlan(
      source: second.metadata.versionChecksum, destination: version.checksum, changes: [],
      steps: steps, losses: StoreEvolver.losses(of: steps))
  }

  /// What ``settle(_:)`` would do to the store; nil for nothing, or what an ordinary migration does.
  func plan(_ store: any PersistentStore) throws -> MigrationPlan? {
    guard let expansion = store.evolution?.expansion else {
      guard policy.versions == .one else { throw refusalOfType }
      return nil
    }
    if policy.versions == .abandon { return try abandonment(store, expansion) }
    if let second = expansion.secondVersion {
      guard version.matches(second.metadata) else {
        throw refusalOfThird(store.metadata, second)
      }
      if second.isComplete, policy.versions == .contract {
        let resolution = try resolve(store, second)
        return try evolver.plan(
          store, resolution, expansion.contractionSteps(of: resolution.change))
      }
      if second.isComplete { return nil }
    }
    let resolution = try resolve(store)
    return try evolver.plan(store, resolution, expansion.expansionSteps(of: resolution.change))
  }

  private func resolve(
    _ store: any PersistentStore, _ second: SecondVersion? = nil
  ) throws -> EvolutionResolution {
    let source = try evolver.sourceModel(of: store)
    let resolution = try EvolutionResolution(
      version: version, source: source, metadata: store.metadata, identity: store.identity,
      policy: policy)
    if let second, second.metadata.entityCodes != resolution.metadata.entityCodes {
      throw PersistenceError(
        .corruptStore, "The two versions of the store do not agree on the codes of entities.")
    }
    return resolution
  }

  // MARK: Refusing

  private func checkWritable(_ store: any PersistentStore) throws {
    guard !store.isReadOnly else {
      throw version.refusal(
        of: store.metadata,
        "It is open for reading only, and stays with the versions that it serves.")
    }
  }

  private var refusalOfType: PersistenceError {
    PersistenceError(
      .invalidValue,
      "Only stores on PostgreSQL serve two versions of a model. Set the description's evolution to "
        + ".automatic for a store of the type \(description.type.rawValue).", key: "evolution")
  }

  private func refusalOfThird(
    _ metadata: StoreMetadata, _ second: SecondVersion
  ) -> PersistenceError {
    version.refusal(
      of: metadata,
      "The store serves the versions \(metadata.versionChecksum) and "
        + "\(second.metadata.versionChecksum), and no third one. Open it with .contract by a program "
        + "of the second version, and then try again.")
  }
}
