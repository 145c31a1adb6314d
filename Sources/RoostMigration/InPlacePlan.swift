// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

/// The plan of an ``InPlaceMigration``.
struct InPlacePlan {
  let store: PersistentStoreDescription
  let metadata: StoreMetadata
  let destination: ManagedObjectModel
  let census: StoreCensus

  /// Returns the plan for a mapping model.
  ///
  /// - Parameters:
  ///   - mapping: The mapping model.
  ///   - changes: The differences, one sentence for each change.
  ///   - losses: The losses besides the records of removed entities.
  func plan(
    _ mapping: MappingModel, changes: [String], losses: [MigrationPlan.Loss] = []
  ) throws -> MigrationPlan {
    let steps = try mapping.entityMappings.compactMap { entity -> MigrationPlan.Step? in
      guard let source = entity.sourceEntityName else { return nil }
      let count = try census.records(of: source)
      guard entity.makesInstances, let name = entity.destinationEntityName else {
        return count > 0 ? MigrationPlan.Step("drop \(source)", kind: .drop, rows: count) : nil
      }
      let place = source == name ? name : "\(source) to \(name)"
      guard entity.hasCode else {
        return MigrationPlan.Step("copy \(place)", kind: .rewrite, rows: count)
      }
      return MigrationPlan.Step("transform \(place)", kind: .custom, rows: count)
    }
    let hashes =
      destination.entityVersionHashes(forConfigurationName: store.configuration) ?? [:]
    var plan = MigrationPlan(
      source: metadata.versionChecksum, destination: ManagedObjectModel.versionChecksum(of: hashes),
      changes: changes, steps: steps, losses: losses)
    let space = StoreSpace(of: store)
    plan.makeEstimate(
      defers: false, fileBytes: space.fileBytes, freeBytes: space.freeBytes,
      copies: InPlaceMigration.copies(of: store))
    return plan
  }
}

extension EntityMapping {
  /// Whether code of the program makes the objects.
  var hasCode: Bool { policyMaker != nil || entityMigrationPolicyClassName != nil }
}
