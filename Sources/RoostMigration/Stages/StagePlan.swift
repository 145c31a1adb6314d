// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

/// The plan of a staged migration.
struct StagePlan {
  let store: PersistentStoreDescription
  let source: ManagedObjectModel
  let metadata: StoreMetadata
  let destination: ManagedObjectModel
  /// The checksum of the final version.
  let goal: String

  /// Returns the plan for some steps.
  ///
  /// - Parameter interrupted: Whether the last handler of an interrupted migration runs first.
  func plan(_ path: [StagePath.Step], interrupted: Bool) throws -> MigrationPlan {
    let entities = source.entities.filter { metadata.entityVersionHashes[$0.name ?? ""] != nil }
    let census = try StoreCensus(store, source)
    let records = try entities.filter { !$0.isAbstract }
      .reduce(0) { try $0 + census.records(of: $1.name ?? "") }
    var losses = LossCount(census, entities)
    var steps: [MigrationPlan.Step] = []
    var changes: [String] = []
    var last = entities
    func code(_ title: String) { steps.append(MigrationPlan.Step(title, kind: .custom)) }
    func migrate(to reference: ManagedObjectModelReference?) throws {
      let model = try reference.map { try self.model($0) } ?? destination
      let next = try model.storedEntities(ofConfiguration: store.configuration)
      let difference = try ModelDifference(
        from: last, to: next, allowsLosslessTypeChanges: store.evolution.allowsLosslessTypeChanges)
      try losses.add(difference)
      changes += difference.changes.map(\.description)
      let title = "migrate to \((reference?.versionChecksum ?? goal).prefix(8))"
      steps.append(
        MigrationPlan.Step(
          title, kind: difference.isEmpty ? .catalogue : .rewrite,
          rows: difference.isEmpty ? 0 : records))
      last = next
    }
    if interrupted { code("finish the handler that was interrupted") }
    for step in path {
      switch step {
      case .infer(let reference): try migrate(to: reference)
      case .custom(let stage):
        let name = stage.label ?? String(stage.nextModel.versionChecksum.prefix(8))
        if stage.willMigrateHandler != nil { code("before \(name)") }
        try migrate(to: stage.nextModel)
        if stage.didMigrateHandler != nil { code("after \(name)") }
      }
    }
    var plan = MigrationPlan(
      source: metadata.versionChecksum, destination: goal, changes: changes, steps: steps,
      losses: losses.losses)
    let space = StoreSpace(of: store)
    plan.makeEstimate(
      defers: store.evolution.defersLightweightMigration, fileBytes: space.fileBytes,
      freeBytes: space.freeBytes)
    return plan
  }

  /// Returns the model of a reference. That of the final version is given.
  private func model(_ reference: ManagedObjectModelReference) throws -> ManagedObjectModel {
    if [goal, destination.versionChecksum].contains(reference.versionChecksum) {
      return destination
    }
    let model = try reference.foundModel()
    try model.freeze()
    return model
  }
}
