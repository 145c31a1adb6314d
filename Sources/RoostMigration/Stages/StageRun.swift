// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostContainers
import RoostCoordinator
import RoostModel
import RoostStore

/// Carries out the steps of a staged migration on one store.
struct StageRun {
  let manager: StagedMigrationManager
  let store: PersistentStoreDescription
  /// The model that the store was written with.
  let source: ManagedObjectModel
  /// The model that it is to be opened with.
  let destination: ManagedObjectModel
  /// The checksum of that, for the store's configuration.
  let goal: String
  let parts: StageParts
  /// Keeps other programs from doing the same: looked at before each thing that changes the store, because it may be
  /// lost at any time.
  let lock: (any StoreMigrationLock)?

  /// Calls the handler that an interrupted migration has not finished, after the version had changed (M28).
  func finishInterrupted(_ stages: [MigrationStage], _ metadata: StoreMetadata) throws {
    guard let mark = StageMark(metadata), mark.next == metadata.versionChecksum else { return }
    try lock?.check()
    let stage = stages.compactMap { $0 as? CustomMigrationStage }
      .first { (try? self.mark(of: $0, isAfter: mark.isAfter)) == mark }
    guard let stage else { return try setMark(nil) }
    try finish(stage, isRepeated: mark.isAfter)
  }

  func perform(_ step: StagePath.Step) throws {
    switch step {
    case .infer(let reference):
      try infer(reference.map { try self.model($0) } ?? destination)
    case .custom(let stage):
      try begin(stage)
      try infer(model(stage.nextModel))
      try finish(stage, isRepeated: false)
    }
  }

  // MARK: Custom stages

  private func begin(_ stage: CustomMigrationStage) throws {
    try parts.begin(stage.label ?? "before \(stage.nextModel.versionChecksum)")
    let mark = try mark(of: stage, isAfter: false)
    let isRepeated = try readMark() == mark
    if !isRepeated { try setMark(mark) }
    guard let handler = stage.willMigrateHandler else { return }
    try handle(stage.currentModel, isRepeated: isRepeated) { try handler(manager, stage) }
  }

  private func finish(_ stage: CustomMigrationStage, isRepeated: Bool) throws {
    if let handler = stage.didMigrateHandler {
      try parts.begin(stage.label ?? "after \(stage.nextModel.versionChecksum)")
      if !isRepeated { try setMark(mark(of: stage, isAfter: true)) }
      try handle(stage.nextModel, isRepeated: isRepeated) { try handler(manager, stage) }
    }
    try setMark(nil)
  }

  private func handle(
    _ reference: ManagedObjectModelReference, isRepeated: Bool, _ body: () throws -> Void
  ) throws {
    var description = store
    description.migration = nil
    description.shouldAddStoreAsynchronously = false
    let container = try PersistentContainer(
      name: "roost.stage", model: try model(reference), stores: [description])
    try container.loadPersistentStores()
    defer {
      for store in container.persistentStoreCoordinator.attachedStores {
        try? container.persistentStoreCoordinator.detach(store.store)
      }
    }
    // Opening may have taken its time.
    try lock?.check()
    try manager.handling(with: container, isRepeated: isRepeated, body)
  }

  // MARK: Versions

  /// The model of a reference. That of the store and that of the goal are at hand.
  private func model(_ reference: ManagedObjectModelReference) throws -> ManagedObjectModel {
    if [goal, destination.versionChecksum].contains(reference.versionChecksum) {
      return destination
    }
    return try reference.foundModel()
  }

  /// Brings the store to a model by inference.
  private func infer(_ model: ManagedObjectModel) throws {
    var description = store
    description.migration = StageSources(sourceModels: [source] + manager.sourceModels)
    description.shouldMigrateStoreAutomatically = true
    description.shouldInferMappingModelAutomatically = true
    let coordinator = try PersistentStoreCoordinator(usable: model)
    parts.next()
    try lock?.check()
    let thrown = coordinator.migrations.follow(parts.reporter)
    do {
      let opened = try coordinator.addPersistentStore(with: description)
      try coordinator.detach(opened)
    } catch {
      throw thrown() ?? error
    }
  }

  // MARK: Marks

  /// The mark of a stage, with the versions of the store's configuration, as its metadata have them.
  private func mark(of stage: CustomMigrationStage, isAfter: Bool) throws -> StageMark {
    StageMark(
      current: try checksum(stage.currentModel), next: try checksum(stage.nextModel),
      isAfter: isAfter)
  }

  private func checksum(_ reference: ManagedObjectModelReference) throws -> String {
    guard let name = store.configuration else { return reference.versionChecksum }
    let hashes = try model(reference).entityVersionHashes(forConfigurationName: name)
    return hashes.map { ManagedObjectModel.versionChecksum(of: $0) } ?? reference.versionChecksum
  }

  private func readMark() throws -> StageMark? {
    try store.type.driver.metadata(of: store).flatMap { StageMark($0) }
  }

  private func setMark(_ mark: StageMark?) throws {
    guard try readMark() != mark else { return }
    try lock?.check()
    // Programs of the version that the store has may have it open, and write to its metadata.
    try store.changeMetadata { $0.userValues[StageMark.key] = mark?.value }
  }
}
