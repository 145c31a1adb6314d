// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostCoordinator
import RoostStore

// Work on the context's queue, with Core Data's semantics. New code rarely needs it: a context that is not shared
// needs no queue, and the compiler proves that it is not shared.
extension ManagedObjectContext {
  /// Enqueues a closure; it never runs inline, and closures run in the order of the calls. The closure is an event:
  /// pending changes are processed at its end.
  ///
  /// ```swift
  /// context.perform { ada.name = "Countess" }
  /// ```
  /// A context with enqueued work is used on its queue only, as with Core Data: a task that owns a context must not
  /// call this, as nothing would keep the two apart.
  ///
  /// - Parameter block: The closure.
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

  /// Runs a closure on the queue and waits for it, after those enqueued before; inline for a caller that is on the
  /// queue. The closure is part of the current event: it does not end it.
  ///
  /// ```swift
  /// let count = try context.performAndWait { try context.count(for: Person.fetchRequest()) }
  /// ```
  /// - Parameter block: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
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

  /// Runs a closure on the queue, without blocking a thread while it waits for its turn. A closure that waited for
  /// its turn is an event, as with the enqueueing form.
  ///
  /// ```swift
  /// let name = await context.perform { ada.name }
  /// ```
  /// When the task is cancelled, the closure's requests to stores end soon, with ``PersistenceError`` and code
  /// `userCancelled`: a fetch no longer waits for its store, and a save is abandoned, unless it has progressed so far
  /// that it is completed and acknowledged. A closure that can throw does not run if the task is cancelled before its
  /// turn.
  /// - Parameters:
  ///   - schedule: Whether a caller that is on the queue already has to wait for its turn.
  ///   - block: The closure.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; ``PersistenceError`` with code `userCancelled` when it did not run.
  nonisolated(nonsending)
    public func perform<T, Failure: Error>(
      schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(Failure) -> T
    ) async throws(Failure) -> T
  {
    // The caller waits, so it accesses nothing that the closure accesses until the closure has ended.
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

  /// Runs a closure synchronously in the caller's isolation; cancelling the caller's task cancels the closure's
  /// requests.
  ///
  /// - Parameter isolation: The caller's isolation. The closure passed to the cancellation handler inherits it by
  ///   mentioning it; otherwise it would leave the queue.
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
  /// - Parameter surroundings: Runs the closure passed to it.
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

  /// The scheduling of work for a caller that is on the queue.
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
