// SPDX-License-Identifier: Apache-2.0

import Dispatch

extension PersistentStoreCoordinator {
  /// Runs a block on the coordinator's queue, asynchronously. While it runs, requests of other threads wait.
  ///
  /// - Parameter block: The block to run; blocks run one after another, in the order of the calls.
  public func perform(_ block: @escaping @Sendable () -> Void) {
    queue.async { [self] in routingGate.exclusively(block) }
  }

  /// Runs a block on the coordinator's queue and returns its result.
  ///
  /// - Parameter block: The block to run.
  /// - Throws: What the block throws.
  public func perform<Result: Sendable>(
    _ block: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(with: Swift.Result { try routingGate.exclusively(block) })
      }
    }
  }

  /// Runs a block after those that earlier calls of `perform` enqueued, and waits for it; within a block, runs it at
  /// once.
  ///
  /// ```swift
  /// let uuids = coordinator.performAndWait { coordinator.persistentStores.map(\.identity.identifier) }
  /// ```
  ///
  /// - Parameter block: The block to run.
  /// - Throws: What the block throws.
  public func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result {
    if routingGate.isOwnedByThisThread { return try block() }
    return try queue.sync { try routingGate.exclusively(block) }
  }
}
