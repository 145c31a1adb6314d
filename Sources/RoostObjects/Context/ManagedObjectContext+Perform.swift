// SPDX-License-Identifier: Apache-2.0

import Dispatch

// Work on the context's queue, with Core Data's meaning. New code rarely needs it: a context that is not shared needs
// no queue, and the compiler proves that it is not shared.
extension ManagedObjectContext {
  /// Queues a closure; it never runs inline, and closures run in the order of calling. The closure is an event: pending
  /// changes are processed at its end (B222).
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
    noteUseOfQueue()
    queue.enqueue {
      context.mergeHeardSaves()
      block()
      context.processPendingChanges()
    }
  }

  /// Runs a closure on the queue and waits for it, after those that `perform` took before; inline for a caller that is
  /// on the queue (B223). The closure is part of the event that is going on: it does not end it.
  ///
  /// ```swift
  /// let count = try context.performAndWait { try context.count(for: Person.fetchRequest()) }
  /// ```
  /// - Parameter block: The work.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws (B225).
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    if queue.isCurrent { return try queue.inline(block) }
    noteUseOfQueue()
    return try queue.wait {
      mergeHeardSaves()
      return try block()
    }
  }

  /// Runs a closure on the queue and waits for it, as a part of somebody's request.
  func onQueue<T>(_ block: () throws -> T) rethrows -> T {
    try queue.isCurrent ? block() : queue.wait(for: block)
  }

  /// Runs a closure on the queue, without blocking a thread while it waits for its turn (B224, B225). A closure that
  /// waited for its turn is an event, as with the form that does not wait.
  ///
  /// ```swift
  /// let name = await context.perform { ada.name }
  /// ```
  /// - Parameters:
  ///   - schedule: Whether a caller that is on the queue already has to wait for its turn.
  ///   - block: The work.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  nonisolated(nonsending)
    public func perform<T, Failure: Error>(
      schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(Failure) -> T
    ) async throws(Failure) -> T
  {
    if schedule == .immediate, queue.isCurrent {
      return try queue.inline(block)
    }
    // The caller waits: it does not touch what the closure touches before the closure has ended.
    nonisolated(unsafe) let block = block
    nonisolated(unsafe) let context = self
    nonisolated(unsafe) var result: Result<T, Failure>?
    noteUseOfQueue()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      context.queue.enqueue {
        context.mergeHeardSaves()
        do throws(Failure) {
          result = .success(try block())
        } catch {
          result = .failure(error)
        }
        context.processPendingChanges()
        continuation.resume()
      }
    }
    guard let result else { preconditionFailure("The queue ran the closure before it resumed.") }
    return try result.get()
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
