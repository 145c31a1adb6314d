// SPDX-License-Identifier: Apache-2.0

public import RoostStore

/// What ``ManagedObjectContext/execute(_:)`` returns; each kind of request has a result of its own.
///
/// ```swift
/// let result: PersistentStoreResult = try context.execute(update)
/// ```
nonisolated open class PersistentStoreResult {
  init() {}
}

/// A request that ``ManagedObjectContext/execute(_:)`` can execute.
///
/// A save is none: the context saves what was changed in it with ``ManagedObjectContext/save()``.
///
/// ```swift
/// func run<R: ExecutableRequest>(_ request: R) throws -> R.ExecutionResult { try context.execute(request) }
/// ```
public protocol ExecutableRequest: PersistentStoreRequest {
  /// What the execution returns.
  associatedtype ExecutionResult: PersistentStoreResult
  /// Executes the request; called by ``ManagedObjectContext/execute(_:)``.
  ///
  /// - Parameter context: The context on whose behalf it is done: it says which coordinator, and who writes.
  /// - Throws: ``PersistenceError``.
  func execute(in context: ManagedObjectContext) throws -> ExecutionResult
}
