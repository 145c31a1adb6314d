// SPDX-License-Identifier: Apache-2.0

public import RoostContainers
import RoostCoordinator
import RoostModel
public import RoostObjects
import RoostStore

// Work on a context of its own, which is not saved automatically.
extension PersistentContainer {
  /// Runs work on a new background context that reads one snapshot of the stores, regardless of concurrent saves.
  ///
  /// ```swift
  /// let (count, oldest) = try container.read { context in
  ///   (
  ///     try context.count(Person.self),
  ///     try context.first(Person.fetchRequest().sorted(by: \.age, ascending: false))?.name
  ///   )
  /// }
  /// ```
  /// In-memory and SQLite stores support snapshots. LMDB and PostgreSQL keep none for a client, so `read` throws,
  /// unless ``ReadConsistency/snapshotWherePossible`` accepts a separate state for each request. Changes made by the
  /// work are not saved.
  ///
  /// - Parameters:
  ///   - consistency: Whether a store without snapshots is an error.
  ///   - fileID: The file to which instruments attribute the requests.
  ///   - line: The line to which instruments attribute the requests.
  ///   - body: The work. Its result must not be an object of the context: return IDs or values.
  /// - Returns: The result of the work.
  /// - Throws: What the work throws. ``PersistenceError`` with code `persistentStoreUnsupportedRequestType` before
  ///   the work begins when a store does not support snapshots, and `readFailed` after it when a property could not
  ///   be read.
  /// - Complexity: One round trip for each store more than the work itself. The caller's thread is blocked.
  public final func read<T>(
    _ consistency: ReadConsistency = .snapshot, fileID: String = #fileID, line: Int = #line,
    _ body: (ManagedObjectContext) throws -> T
  ) throws -> T {
    try checkSnapshots(consistency)
    let context = newBackgroundContext()
    context.callSite = CallSite(fileID: fileID, line: line)
    return try context.performAndWait {
      try Self.reading(context) { try body(context) }
    }
  }

  /// Runs work on the queue of a new background context that reads one snapshot of the stores, regardless of
  /// concurrent saves, without blocking a thread.
  ///
  /// ```swift
  /// let names = try await container.read { context in
  ///   try context.fetch(Person.fetchRequest()).map(\.name)
  /// }
  /// ```
  /// - Parameters:
  ///   - consistency: Whether a store without snapshots is an error.
  ///   - fileID: The file to which instruments attribute the requests.
  ///   - line: The line to which instruments attribute the requests.
  ///   - body: The work. Its result must not be an object of the context: return IDs or values.
  /// - Returns: The result of the work.
  /// - Throws: As the blocking form; ``PersistenceError`` with code `userCancelled` when the task is cancelled.
  /// - Complexity: One round trip for each store more than the work itself. No thread is blocked.
  public final func read<T>(
    _ consistency: ReadConsistency = .snapshot, fileID: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> sending T
  ) async throws -> sending T {
    try checkSnapshots(consistency)
    return try await performBackgroundTask { context in
      context.callSite = CallSite(fileID: fileID, line: line)
      // The result belongs to this call alone, and is transferred to the caller.
      nonisolated(unsafe) let result = try Self.reading(context) { try body(context) }
      return result
    }
  }

  /// Runs asynchronous work on a context of its own. The work runs on the context's queue except while it is
  /// suspended. Nothing is saved unless the work saves.
  ///
  /// ```swift
  /// try await container.withBackgroundContext { context in
  ///   for name in try await download() { Person(context: context).name = name }
  ///   try context.save()
  /// }
  /// ```
  /// - Parameters:
  ///   - fileID: The file to which instruments attribute the requests.
  ///   - line: The line to which instruments attribute the requests.
  ///   - body: The work. Its result must not be an object of the context: return IDs or values.
  /// - Returns: The result of the work.
  /// - Throws: What the work throws.
  /// - Complexity: No thread is blocked.
  public final func withBackgroundContext<T>(
    fileID: String = #fileID, line: Int = #line,
    _ body: nonisolated(nonsending) @Sendable (ManagedObjectContext) async throws -> sending T
  ) async rethrows -> sending T {
    let coordinator = persistentStoreCoordinator
    let actor = ContextActor {
      let context = ManagedObjectContext(coordinator: coordinator)
      context.callSite = CallSite(fileID: fileID, line: line)
      return context
    }
    return try await actor.perform(body)
  }

  /// Runs work in a snapshot, and throws errors of reads that could not throw.
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
