// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import RoostCoordinator
import RoostStore

/// An actor that owns a context, for work shared by several tasks.
///
/// ```swift
/// let actor = ContextActor(coordinator: container.persistentStoreCoordinator)
/// let names = try await actor.perform { context in
///   try context.fetch(Person.fetchRequest()).map(\.name)
/// }
/// ```
public actor ContextActor {
  private let context: ManagedObjectContext
  private let executor: QueueExecutor

  /// The actor's executor: code isolated to the actor runs on the context's queue.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Creates an actor with a new context.
  ///
  /// - Parameter coordinator: The coordinator of the context.
  public init(coordinator: PersistentStoreCoordinator) {
    let context = ManagedObjectContext(coordinator: coordinator)
    executor = QueueExecutor(context.queue)
    self.context = context
  }

  /// Creates an actor that owns the context returned by a closure.
  ///
  /// - Parameter make: Creates the context; it must not keep a reference to it.
  public init(_ make: @Sendable () -> sending ManagedObjectContext) {
    let context = make()
    executor = QueueExecutor(context.queue)
    self.context = context
  }

  /// Runs a closure on the context; one at a time, in the order in which the actor takes its callers. Each closure is
  /// an event: pending changes are processed at its end. When the task is cancelled, the closure's requests to stores
  /// end soon, with ``PersistenceError`` and code `userCancelled`.
  ///
  /// - Parameter body: The closure. Its result must not be an object of the context: return IDs or values.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  public func perform<T>(
    _ body: @Sendable (ManagedObjectContext) throws -> sending T
  ) async rethrows -> sending T {
    let cancellation = RequestCancellation()
    // The closure's result belongs to this call alone, which passes it to the caller.
    nonisolated(unsafe) var result: T?
    try await withTaskCancellationHandler {
      try RequestScope.cancellable(by: cancellation) {
        defer { context.processPendingChanges() }
        result = try body(context)
      }
    } onCancel: {
      cancellation.cancel()
    }
    guard let result else { preconditionFailure("The closure has run or thrown.") }
    return result
  }

  /// Runs a closure that awaits other tasks; it runs on the context's queue except while it is suspended. Meanwhile
  /// the actor takes other callers, whose changes the closure sees afterwards.
  ///
  /// ```swift
  /// try await actor.perform { context in
  ///   for name in try await download() { Person(context: context).name = name }
  ///   try context.save()
  /// }
  /// ```
  /// - Parameter body: The closure. Its result must not be an object of the context.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  @_disfavoredOverload
  public func perform<T>(
    _ body: nonisolated(nonsending) @Sendable (ManagedObjectContext) async throws -> sending T
  ) async rethrows -> sending T {
    let cancellation = RequestCancellation()
    // The closure's result belongs to this call alone, which passes it to the caller.
    nonisolated(unsafe) var result: T?
    try await withTaskCancellationHandler {
      try await RequestScope.cancellable(by: cancellation) {
        defer { context.processPendingChanges() }
        result = try await body(context)
      }
    } onCancel: {
      cancellation.cancel()
    }
    guard let result else { preconditionFailure("The closure has run or thrown.") }
    return result
  }

  /// Creates a child of the context, which may be sent to a task. Its requests and saves enter the actor's queue, so
  /// it may be used on any thread.
  ///
  /// ```swift
  /// let draft = await actor.newChildContext()
  /// ```
  /// - Parameter concurrencyType: The kind of the child's queue.
  public func newChildContext(
    _ concurrencyType: ManagedObjectContext.ConcurrencyType = .privateQueue
  ) -> sending ManagedObjectContext {
    context.makeDetachedChild(concurrencyType)
  }
}

/// Runs the jobs of an actor on the queue of its context.
private final class QueueExecutor: SerialExecutor {
  private let queue: ContextQueue

  init(_ queue: ContextQueue) {
    self.queue = queue
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.enqueue { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}
