// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

/// What an ``InPlaceMigration`` would do.
struct InPlacePlan {
  let store: PersistentStoreDescription
  let metadata: StoreMetadata
  let destination: ManagedObjectModel
  let census: StoreCensus

  /// The plan of a mapping model.
  ///
  /// - Parameters:
  ///   - mapping: What is made of which objects.
  ///   - changes: What differs, a sentence for each change.
  ///   - losses: What goes besides the records of entities of which nothing is made.
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
