// SPDX-License-Identifier: Apache-2.0

package import RoostStore
import Synchronization

/// The context of requests that belong to one piece of work: its cancellation.
///
/// A context runs the work of a task on its queue, and the work sends requests to stores by reading properties, by
/// fetching and by saving, on the thread that it runs on. So the scope is task-local, and
/// ``AttachedStore/requesting(_:)`` is the one place that reads it: the store receives the cancellation, and knows of
/// no scope.
package struct RequestScope: Sendable {
  @TaskLocal private static var current: RequestScope?
  /// Whether there has been a scope in this process: without one, a request need not look for its own. It is set before
  /// the scope, on the same thread, so that whatever runs in the scope sees it.
  private static let isUsed = Atomic<Bool>(false)

  private let cancellation: RequestCancellation
  /// The task that does the work; nil on a queue. A child task inherits the scope, but is not cancellable through it.
  private let task: Int?

  /// The cancellation of requests on the current thread; nil when they cannot be cancelled.
  package static var cancellation: RequestCancellation? {
    guard isUsed.load(ordering: .relaxed), let current, current.task == currentTask else {
      return nil
    }
    return current.cancellation
  }

  private init(_ cancellation: RequestCancellation) {
    Self.isUsed.store(true, ordering: .relaxed)
    self.cancellation = cancellation
    task = Self.currentTask
  }

  private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// Runs work whose requests can be cancelled.
  package static func cancellable<Result, Failure: Error>(
    by cancellation: RequestCancellation?, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let cancellation else { return try work() }
    return try Self.$current.holding(RequestScope(cancellation), work)
  }

  /// Runs work that waits for other tasks, and whose requests can be cancelled.
  package nonisolated(nonsending) static func cancellable(
    by cancellation: RequestCancellation,
    _ work: nonisolated(nonsending) () async throws -> Void
  ) async rethrows {
    try await $current.withValue(RequestScope(cancellation), operation: work)
  }
}
