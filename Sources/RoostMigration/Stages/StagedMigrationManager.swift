// SPDX-License-Identifier: Apache-2.0

public import RoostContainers
import RoostCoordinator
public import RoostModel
import RoostObjects
public import RoostStore
import Synchronization

/// Migrates stores through several versions to the model, with the program's own steps between.
///
/// A store starts at the stage that names its version. Each stage ends with the store at the stage's version, so that
/// an interrupted migration resumes there; only a handler that had begun runs again.
///
/// ```swift
/// description.migration = StagedMigrationManager([
///   LightweightMigrationStage([version1, version2].map(\.versionChecksum)),
///   CustomMigrationStage(migratingFrom: version2, to: version3),
/// ])
/// ```
public final class StagedMigrationManager: StoreMigration {
  /// The stages, the earliest first.
  public let stages: [MigrationStage]
  private let state = Mutex(State())

  private struct State {
    var container: PersistentContainer?
    var isRepeated = false
  }

  /// Makes a manager.
  ///
  /// - Parameter stages: The stages, the earliest first. A custom stage begins with the version that the stage before
  ///   it ends with.
  public init(_ stages: [MigrationStage]) {
    self.stages = stages
  }

  /// While a handler runs, a container with the store at the version that the handler expects, open for writing; its
  /// contexts save as always. nil at other times.
  public var container: PersistentContainer? { state.withLock { $0.container } }

  /// While a handler runs, whether it may have run before: an earlier migration was interrupted after the handler had
  /// begun, and its saves are in the store. So handlers must be idempotent.
  public var isRepeated: Bool { state.withLock { $0.isRepeated } }

  /// The models of the custom stages that can be found.
  public var sourceModels: [ManagedObjectModel] {
    stages.compactMap { $0 as? CustomMigrationStage }
      .flatMap { [$0.currentModel, $0.nextModel] }
      .compactMap { try? $0.foundModel() }
  }

  /// Whether the last handler of an interrupted migration is still to be run.
  ///
  /// - Parameter metadata: The store's metadata.
  public func isPending(in metadata: StoreMetadata) -> Bool {
    StageMark(metadata)?.next == metadata.versionChecksum
  }

  /// Migrates a store through the stages to a model.
  ///
  /// - Parameters:
  ///   - store: The description of the store.
  ///   - source: The model with which the store was written.
  ///   - metadata: The store's metadata.
  ///   - destination: The model with which it is opened.
  ///   - reporter: Receives the progress of each step.
  /// - Returns: True.
  /// - Throws: ``PersistenceError`` with code `stagedMigrationUnknownVersion` when a stage is missing,
  ///   `stagedMigrationBackward` when the store is of a later version, `storeBusy` when another process migrates the
  ///   store through its stages until the description's timeout; the store is then unchanged. The error of a handler,
  ///   or of an inferred step; the store then has the version of that stage.
  public func migrate(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel, reporter: MigrationReporter
  ) throws -> Bool {
    let goal = Self.goal(of: store, destination)
    let path = try path(from: source, metadata, to: destination, goal)
    // Handlers change records too: the lock keeps other processes from calling them, and from opening the store.
    let lock = try store.lockMigration(for: .stages)
    defer { withExtendedLifetime(lock) {} }
    // Another process may have done all or part of it while this one waited: so the metadata is read again.
    guard let now = try store.type.driver.metadata(of: store),
      now.versionChecksum == metadata.versionChecksum,
      now.entityVersionHashes == metadata.entityVersionHashes
    else { return true }
    let run = StageRun(
      manager: self, store: store, source: source, destination: destination, goal: goal,
      parts: StageParts(path.steps, isInterrupted: isPending(in: now), reporter), lock: lock)
    try run.finishInterrupted(stages, now)
    for step in path.steps { try run.perform(step) }
    return true
  }

  private static func goal(
    of store: PersistentStoreDescription, _ destination: ManagedObjectModel
  ) -> String {
    ManagedObjectModel.versionChecksum(
      of: destination.entityVersionHashes(forConfigurationName: store.configuration) ?? [:])
  }

  /// A store of one configuration has the checksum of its entities, stages have those of whole models (M30).
  private func path(
    from source: ManagedObjectModel, _ metadata: StoreMetadata, to destination: ManagedObjectModel,
    _ goal: String
  ) throws -> StagePath {
    try StagePath(
      stages, from: [metadata.versionChecksum, source.versionChecksum],
      to: [goal, destination.versionChecksum])
  }

  /// Returns the plan of the stages: the versions of the store, the handlers between them, and the data that the
  /// changes remove from the store. Changes by handlers are not predicted.
  ///
  /// - Parameters:
  ///   - store: The description of the store.
  ///   - source: The model with which the store was written.
  ///   - metadata: The store's metadata.
  ///   - destination: The model with which it is opened.
  /// - Returns: The plan.
  /// - Throws: ``PersistenceError`` with code `stagedMigrationUnknownVersion` or `stagedMigrationBackward` as
  ///   ``migrate(_:from:metadata:to:reporter:)``, `inferredMappingModel` for a change between two versions that
  ///   cannot be inferred, and the errors of reading the store.
  /// - Complexity: Counts the records of each entity, and those that lose data; nothing is written.
  public func plan(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel
  ) throws -> MigrationPlan? {
    let goal = Self.goal(of: store, destination)
    let path = try path(from: source, metadata, to: destination, goal)
    return try StagePlan(
      store: store, source: source, metadata: metadata, destination: destination, goal: goal
    ).plan(path.steps, interrupted: isPending(in: metadata))
  }

  /// Runs a handler with a container.
  func handling(
    with container: PersistentContainer, isRepeated: Bool, _ body: () throws -> Void
  ) rethrows {
    state.withLock { $0 = State(container: container, isRepeated: isRepeated) }
    defer { state.withLock { $0 = State() } }
    try body()
  }
}
