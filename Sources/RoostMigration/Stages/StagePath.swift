// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The path through stages from the version of a store to that of a model (M28, M29).
struct StagePath {
  /// A step of the path.
  enum Step {
    /// The store is migrated to a version by inference; nil for the version of the model with which it is opened.
    case infer(ManagedObjectModelReference?)
    /// A handler is called before or after the version changes.
    case custom(CustomMigrationStage)
  }

  let steps: [Step]

  /// Finds the path.
  ///
  /// - Parameters:
  ///   - store: The checksums of the store's version: that of its configuration, and that of the whole model.
  ///   - model: The same of the model that it is opened with.
  /// - Throws: `stagedMigrationUnknownVersion` when a version is in no stage or there is a gap between stages,
  ///   `stagedMigrationBackward` when the stages lead from the model to the store.
  init(_ stages: [MigrationStage], from store: [String], to model: [String]) throws {
    let versions = try Self.versions(of: stages)
    guard let start = store.lazy.compactMap({ versions.firstIndex(of: $0) }).first else {
      throw Self.unknown(store, "the store")
    }
    guard let end = model.lazy.compactMap({ versions.lastIndex(of: $0) }).first else {
      throw Self.unknown(model, "the model")
    }
    guard start <= end else {
      throw PersistenceError(
        .stagedMigrationBackward,
        "By the stages the version of the store, \(versions[start]), comes after that of the model, "
          + "\(versions[end]): "
          + "stores are not brought back to an earlier version.")
    }
    var steps: [Step] = []
    var reached = start
    for stage in stages {
      guard let stage = stage as? CustomMigrationStage,
        let from = versions.firstIndex(of: stage.currentModel.versionChecksum),
        let to = versions.firstIndex(of: stage.nextModel.versionChecksum), from >= reached,
        to <= end
      else { continue }
      if from > reached { steps.append(.infer(stage.currentModel)) }
      steps.append(.custom(stage))
      reached = to
    }
    if reached < end { steps.append(.infer(nil)) }
    self.steps = steps
  }

  /// All versions in their order.
  private static func versions(of stages: [MigrationStage]) throws -> [String] {
    var versions: [String] = []
    for stage in stages {
      for (place, checksum) in stage.checksums.enumerated() {
        if checksum == versions.last { continue }
        guard place > 0 || versions.isEmpty || !(stage is CustomMigrationStage) else {
          throw PersistenceError(
            .stagedMigrationUnknownVersion,
            "There is a gap between the stages: one ends with \(versions.last ?? ""), and the custom "
              + "stage\(stage.label.map { " “\($0)”" } ?? "") after it begins with \(checksum).")
        }
        guard !versions.contains(checksum) else {
          throw PersistenceError(
            .stagedMigrationUnknownVersion, "The stages reach the version \(checksum) twice.")
        }
        versions.append(checksum)
      }
    }
    return versions
  }

  private static func unknown(_ checksums: [String], _ owner: String) -> PersistenceError {
    PersistenceError(
      .stagedMigrationUnknownVersion,
      "No stage names the version of \(owner), \(checksums.last ?? ""): add it to the stages of the "
        + "StagedMigrationManager.")
  }
}
