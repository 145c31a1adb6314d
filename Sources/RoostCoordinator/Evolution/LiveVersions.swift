// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Chooses the version with which a store is opened, and first expands the store, so that it also serves the model's
/// version, or contracts it, so that it serves no other (M40, M44, M45).
struct LiveVersions {
  let evolver: StoreEvolver

  private var version: StoreVersion { evolver.version }
  private var description: PersistentStoreDescription { evolver.description }
  private var policy: EvolutionPolicy { description.evolution }

  /// How the store is to be opened.
  enum Outcome: Equatable {
    /// Open it, or migrate it, as a store of one version.
    case asOne
    /// Open it with its second version, which is the model's.
    case asSecond
    /// This call or another process has changed the store: open it anew.
    case reopen
  }

  /// Decides how to open a store, and expands, contracts or abandons it as the policy says.
  ///
  /// - Throws: `invalidValue` for a store type that serves one version only when two are asked for, and for a throttle
  ///   without effect, `persistentStoreIncompatibleVersionHash` for a third version, and errors of expanding and
  ///   contracting.
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
      // The model was edited since: the unfinished expansion is removed, and the change is planned anew (M52).
      try checkWritable(store)
      // The unfinished version was never used.
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
    // The extra step makes the second version usable.
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

  /// Returns an expansion whose statements can be cancelled while they run.
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

  /// The plan that removes the second version; nil where there is none.
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

  /// The plan that ``settle(_:)`` would carry out; nil where it changes nothing, or an ordinary migration follows.
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
