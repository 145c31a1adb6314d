// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import RoostCoordinator
import RoostStore

/// An actor that owns a context, for work that several tasks share.
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

  /// The queue of the context: who is in the actor is on it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Makes an actor with a context of its own.
  ///
  /// - Parameter coordinator: The coordinator that the context asks and saves to.
  public init(coordinator: PersistentStoreCoordinator) {
    let context = ManagedObjectContext(coordinator: coordinator)
    executor = QueueExecutor(context.queue)
    self.context = context
  }

  /// Makes an actor that owns the context that a closure makes.
  ///
  /// - Parameter make: Makes the context; nobody else keeps it.
  public init(_ make: @Sendable () -> sending ManagedObjectContext) {
    let context = make()
    executor = QueueExecutor(context.queue)
    self.context = context
  }

  /// Runs work on the context; one at a time, in the order in which the actor takes its callers. Each closure is an
  /// event: pending changes are processed at its end. When the task is cancelled, what the closure asks of stores
  /// ends soon, with ``PersistenceError`` and code `userCancelled`.
  ///
  /// - Parameter body: The work. What it returns must not be an object of the context: return IDs or values.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  public func perform<T>(
    _ body: @Sendable (ManagedObjectContext) throws -> sending T
  ) async rethrows -> sending T {
    let cancellation = RequestCancellation()
    // What the closure makes is this call's alone, and goes from here to the caller.
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

  /// Runs work that waits for other tasks, on the context's queue wherever it is not waiting. While it waits the actor
  /// takes other callers, whose changes it sees afterwards.
  ///
  /// ```swift
  /// try await actor.perform { context in
  ///   for name in try await download() { Person(context: context).name = name }
  ///   try context.save()
  /// }
  /// ```
  /// - Parameter body: The work. What it returns must not be an object of the context.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  @_disfavoredOverload
  public func perform<T>(
    _ body: nonisolated(nonsending) @Sendable (ManagedObjectContext) async throws -> sending T
  ) async rethrows -> sending T {
    let cancellation = RequestCancellation()
    // What the closure makes is this call's alone, and goes from here to the caller.
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

  /// Makes a child of the context, to be handed to a task as a whole. It enters the actor's queue for what it asks and
  /// saves, so it may be used anywhere.
  ///
  /// ```swift
  /// let draft = await actor.newChildContext()
  /// ```
  /// - Parameter concurrencyType: How the child's work is queued.
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
