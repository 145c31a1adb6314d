// SPDX-License-Identifier: Apache-2.0

public import RoostStore

/// The result of ``ManagedObjectContext/execute(_:)``; each kind of request has a subclass of its own.
///
/// ```swift
/// let result: PersistentStoreResult = try context.execute(update)
/// ```
nonisolated open class PersistentStoreResult {
  init() {}
}

/// A request that ``ManagedObjectContext/execute(_:)`` can execute.
///
/// A save is not one: the context saves its changes with ``ManagedObjectContext/save()``.
///
/// ```swift
/// func run<R: ExecutableRequest>(_ request: R) throws -> R.ExecutionResult { try context.execute(request) }
/// ```
public protocol ExecutableRequest: PersistentStoreRequest {
  /// The type of the result.
  associatedtype ExecutionResult: PersistentStoreResult
  /// Executes the request; called by ``ManagedObjectContext/execute(_:)``.
  ///
  /// - Parameter context: The context that executes the request: it determines the coordinator and the author.
  /// - Throws: ``PersistenceError``.
  func execute(in context: ManagedObjectContext) throws -> ExecutionResult
}
