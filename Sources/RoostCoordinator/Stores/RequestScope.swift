// SPDX-License-Identifier: Apache-2.0

package import RoostStore

/// The context of requests that belong to one piece of work: its cancellation.
///
/// A context runs the work of a task on its queue, and the work sends requests to stores by reading properties, by
/// fetching and by saving, on the thread that it runs on. So the scope is task-local, and
/// ``AttachedStore/requesting(_:)`` is the one place that reads it: the store receives the cancellation, and knows of
/// no scope.
package struct RequestScope: Sendable {
  @TaskLocal private static var current: RequestScope?

  private let cancellation: RequestCancellation
  /// The task that does the work; nil on a queue. A child task inherits the scope, but is not cancellable through it.
  private let task: Int?

  /// The cancellation of requests on the current thread; nil when they cannot be cancelled.
  package static var cancellation: RequestCancellation? {
    guard let current, current.task == currentTask else { return nil }
    return current.cancellation
  }

  private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// Runs work whose requests can be cancelled.
  package static func cancellable<Result, Failure: Error>(
    by cancellation: RequestCancellation?, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let cancellation else { return try work() }
    let scope = RequestScope(cancellation: cancellation, task: currentTask)
    return try Self.$current.holding(scope, work)
  }

  /// Runs work that waits for other tasks, and whose requests can be cancelled.
  package nonisolated(nonsending) static func cancellable(
    by cancellation: RequestCancellation,
    _ work: nonisolated(nonsending) () async throws -> Void
  ) async rethrows {
    let scope = RequestScope(cancellation: cancellation, task: currentTask)
    try await $current.withValue(scope, operation: work)
  }
}
