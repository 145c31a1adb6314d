// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostCoordinator
import RoostStore

// Work on the context's queue, with Core Data's meaning. New code rarely needs it: a context that is not shared needs
// no queue, and the compiler proves that it is not shared.
extension ManagedObjectContext {
  /// Queues a closure; it never runs inline, and closures run in the order of calling. The closure is an event: pending
  /// changes are processed at its end.
  ///
  /// ```swift
  /// context.perform { ada.name = "Countess" }
  /// ```
  /// A context whose work is queued is used on its queue only, as with Core Data: who holds it in a task of its own
  /// does not call this, for nothing would keep the two apart.
  ///
  /// - Parameter block: The work.
  public func perform(_ block: @escaping () -> Void) {
    // The queue is serial, and a context with queued work is used on the queue only.
    nonisolated(unsafe) let block = block
    nonisolated(unsafe) let context = self
    merger.noteUseOfQueue()
    queue.enqueue {
      context.runBlock {
        context.merger.mergeHeardSaves()
        block()
        context.processPendingChanges()
      }
    }
  }

  /// Runs a closure on the queue and waits for it, after those that `perform` took before; inline for a caller that is
  /// on the queue. The closure is part of the event that is going on: it does not end it.
  ///
  /// ```swift
  /// let count = try context.performAndWait { try context.count(for: Person.fetchRequest()) }
  /// ```
  /// - Parameter block: The work.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    if queue.isCurrent { return try queue.inline(block) }
    merger.noteUseOfQueue()
    return try queue.wait {
      try runBlock {
        merger.mergeHeardSaves()
        return try block()
      }
    }
  }

  /// Runs a closure on the queue, without blocking a thread while it waits for its turn. A closure that
  /// waited for its turn is an event, as with the form that does not wait.
  ///
  /// ```swift
  /// let name = await context.perform { ada.name }
  /// ```
  /// When the task is cancelled, what the closure asks of stores ends soon, with ``PersistenceError`` and code
  /// `userCancelled`: a fetch waits for its store no longer, and a save is not made, unless it is so far that it is
  /// finished and acknowledged. A closure that can throw does not run if the task is cancelled before its turn.
  /// - Parameters:
  ///   - schedule: Whether a caller that is on the queue already has to wait for its turn.
  ///   - block: The work.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; ``PersistenceError`` with code `userCancelled` when it did not run.
  nonisolated(nonsending)
    public func perform<T, Failure: Error>(
      schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(Failure) -> T
    ) async throws(Failure) -> T
  {
    // The caller waits: it does not touch what the closure touches before the closure has ended.
    nonisolated(unsafe) let block = block
    nonisolated(unsafe) let context = self
    nonisolated(unsafe) var result: Result<T, Failure>?
    let cancellation = RequestCancellation()
    if schedule == .immediate, queue.isCurrent {
      await Self.watching(cancellation) {
        result = Self.outcome(of: block, cancellation, within: context.queue.inline)
      }
    } else if !(Task.isCancelled && RequestCancellation.error is Failure) {
      merger.noteUseOfQueue()
      if Task.isCancelled { cancellation.cancel() }
      let turn = QueueTurn(canBeGivenUp: RequestCancellation.error is Failure)
      context.queue.enqueue {
        context.merger.mergeHeardSaves()
        guard turn.begin() else { return }
        context.runBlock {
          result = Self.outcome(of: block, cancellation) { work in
            work()
            context.processPendingChanges()
          }
        }
        turn.end()
      }
      await turn.wait(cancellation)
    }
    if let result { return try result.get() }
    guard let error = RequestCancellation.error as? Failure else {
      preconditionFailure("The queue ran the closure before it resumed.")
    }
    throw error
  }

  /// Runs a closure at once, where the caller is, and lets the end of the caller's task end its requests.
  ///
  /// - Parameter isolation: The caller's. The closure that the task's handler surrounds has it as well because it
  ///   mentions it; another one would leave the queue.
  private static func watching(
    _ cancellation: RequestCancellation, isolation: isolated (any Actor)? = #isolation,
    _ work: () -> Void
  ) async {
    await withTaskCancellationHandler {
      _ = isolation
      work()
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Runs a closure whose requests can be cancelled.
  ///
  /// - Parameter surroundings: Runs what it is given.
  private static func outcome<T, Failure: Error>(
    of block: @escaping () throws(Failure) -> T, _ cancellation: RequestCancellation,
    within surroundings: (() -> Void) -> Void
  ) -> Result<T, Failure>? {
    var result: Result<T, Failure>?
    RequestScope.cancellable(by: cancellation) {
      surroundings {
        do throws(Failure) {
          result = .success(try block())
        } catch {
          result = .failure(error)
        }
      }
    }
    return result
  }

  /// Whether work waits for its turn.
  ///
  /// ```swift
  /// await context.perform(schedule: .enqueued) { context.refreshAllObjects() }
  /// ```
  public struct ScheduledTaskType: Hashable, Sendable {
    let isImmediate: Bool
    /// Runs inline when the caller is on the queue.
    public static let immediate = ScheduledTaskType(isImmediate: true)
    /// Always waits for its turn.
    public static let enqueued = ScheduledTaskType(isImmediate: false)
  }
}
