// SPDX-License-Identifier: Apache-2.0

public import RoostContainers
import RoostCoordinator
import RoostModel
public import RoostObjects
import RoostStore

// Work on a context of its own that saves nothing by itself.
extension PersistentContainer {
  /// Runs work on a new background context that reads one snapshot of the stores, whatever others save meanwhile.
  ///
  /// ```swift
  /// let (count, oldest) = try container.read { context in
  ///   (
  ///     try context.count(Person.self),
  ///     try context.first(Person.fetchRequest().sorted(by: \.age, ascending: false))?.name
  ///   )
  /// }
  /// ```
  /// Stores in memory and in files of SQLite show snapshots. LMDB and PostgreSQL hold none for a client, so that
  /// `read` throws, unless ``ReadConsistency/snapshotWherePossible`` says that a state for each request will do.
  /// What the work changes is not saved.
  ///
  /// - Parameters:
  ///   - consistency: Whether a store that holds no snapshots is an error.
  ///   - body: The work. What it returns must not be an object of the context: return IDs or values.
  /// - Returns: What the work returns.
  /// - Throws: What the work throws. ``PersistenceError`` with code `persistentStoreUnsupportedRequestType` before the
  ///   work begins when a store holds no snapshots, and `readFailed` after it when a property could not be read.
  /// - Complexity: One round trip a store more than the work itself. The caller's thread waits.
  public final func read<T>(
    _ consistency: ReadConsistency = .snapshot, _ body: (ManagedObjectContext) throws -> T
  ) throws -> T {
    try checkSnapshots(consistency)
    let context = newBackgroundContext()
    return try context.performAndWait {
      try Self.reading(context) { try body(context) }
    }
  }

  /// Runs work on the queue of a new background context that reads one snapshot of the stores, whatever others save
  /// meanwhile: as the form that blocks its thread.
  ///
  /// ```swift
  /// let names = try await container.read { context in
  ///   try context.fetch(Person.fetchRequest()).map(\.name)
  /// }
  /// ```
  /// - Parameters:
  ///   - consistency: Whether a store that holds no snapshots is an error.
  ///   - body: The work. What it returns must not be an object of the context: return IDs or values.
  /// - Returns: What the work returns.
  /// - Throws: As the form that blocks its thread; ``PersistenceError`` with code `userCancelled` when the task is
  ///   cancelled.
  /// - Complexity: One round trip a store more than the work itself. No thread waits.
  public final func read<T>(
    _ consistency: ReadConsistency = .snapshot,
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> sending T
  ) async throws -> sending T {
    try checkSnapshots(consistency)
    return try await performBackgroundTask { context in
      // What the body makes is this call's alone, and goes from here to the caller.
      nonisolated(unsafe) let result = try Self.reading(context) { try body(context) }
      return result
    }
  }

  /// Runs work that waits for other tasks on a context of its own, on the context's queue wherever it is not waiting.
  /// Nothing is saved unless the work saves.
  ///
  /// ```swift
  /// try await container.withBackgroundContext { context in
  ///   for name in try await download() { Person(context: context).name = name }
  ///   try context.save()
  /// }
  /// ```
  /// - Parameter body: The work. What it returns must not be an object of the context: return IDs or values.
  /// - Returns: What the work returns.
  /// - Throws: What the work throws.
  /// - Complexity: No thread waits.
  public final func withBackgroundContext<T>(
    _ body: nonisolated(nonsending) @Sendable (ManagedObjectContext) async throws -> sending T
  ) async rethrows -> sending T {
    try await ContextActor(coordinator: persistentStoreCoordinator).perform(body)
  }

  /// Reads in a snapshot, and throws what a property could not.
  private static func reading<T>(
    _ context: ManagedObjectContext, _ body: () throws -> T
  ) throws -> T {
    try context.setQueryGenerationFrom(.current)
    let result = try body()
    if let error = context.readError { throw error }
    return result
  }

  private func checkSnapshots(_ consistency: ReadConsistency) throws {
    guard consistency == .snapshot else { return }
    for store in persistentStoreCoordinator.persistentStores where store.snapshots == nil {
      throw PersistenceError(
        .persistentStoreUnsupportedRequestType,
        "The store holds no snapshots, so reads cannot see one state of it.",
        store: store.identity.identifier
      ).remedied(by: "Read with .snapshotWherePossible where a state for each request will do.")
    }
  }
}
