// SPDX-License-Identifier: Apache-2.0

public import RoostContainers
import RoostCoordinator
public import RoostModel
import RoostObjects
public import RoostStore
import Synchronization

/// Brings stores through several versions to the model, with the program's own steps between.
///
/// A store joins at the stage that names its version. Each stage ends with the store at the stage's version, so that a
/// migration that was interrupted goes on where it was; only a handler that had begun runs again.
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

  /// While a handler runs, whether it may have run before: the migration was interrupted after it had begun, and what
  /// it saved is in the store. So handlers must be able to run twice.
  public var isRepeated: Bool { state.withLock { $0.isRepeated } }

  /// The models of the custom stages, as far as they can be found.
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

  /// Brings a store through the stages to a model.
  ///
  /// - Parameters:
  ///   - store: Where the store is.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model that it is opened with.
  ///   - reporter: Told of each step.
  /// - Returns: True.
  /// - Throws: ``PersistenceError`` with code `stagedMigrationUnknownVersion` when a stage is missing,
  ///   `stagedMigrationBackward` when the store is of a later version, `storeBusy` when another program leads the store
  ///   through its stages until the description's time is over; the store is as it was then. What a handler throws, or
  ///   a step that is inferred; the store is of the version of that stage then.
  public func migrate(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel, reporter: MigrationReporter
  ) throws -> Bool {
    let goal = Self.goal(of: store, destination)
    let path = try path(from: source, metadata, to: destination, goal)
    // Handlers change records too: nobody else calls them meanwhile, nor opens what they are about to change.
    let lock = try store.lockMigration(for: .stages)
    defer { withExtendedLifetime(lock) {} }
    // Another process may have done it, or a part of it, while this one waited: the store is looked at anew then.
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

  /// Says what the stages would do: the versions that the store goes through, the handlers between, and what the
  /// changes of the versions take away of what the store has now. What handlers add and change is not foreseen.
  ///
  /// - Parameters:
  ///   - store: Where the store is.
  ///   - source: The model that the store was written with.
  ///   - metadata: The store's metadata.
  ///   - destination: The model that it is opened with.
  /// - Returns: The plan.
  /// - Throws: ``PersistenceError`` with code `stagedMigrationUnknownVersion` or `stagedMigrationBackward` as
  ///   ``migrate(_:from:metadata:to:reporter:)``, `inferredMappingModel` for a change between two versions that cannot
  ///   be inferred, and what reading the store throws.
  /// - Complexity: Counts the records of each entity, and those that lose something; nothing is written.
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

  /// Lets a handler work with a container.
  func handling(
    with container: PersistentContainer, isRepeated: Bool, _ body: () throws -> Void
  ) rethrows {
    state.withLock { $0 = State(container: container, isRepeated: isRepeated) }
    defer { state.withLock { $0 = State() } }
    try body()
  }
}
