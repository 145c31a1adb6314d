// SPDX-License-Identifier: Apache-2.0

import RoostModel
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

extension ManagedObjectContext {
  /// Executes a request that is no plain fetch: a batch request, or an asynchronous fetch.
  ///
  /// ```swift
  /// let update = BatchUpdateRequest(entityName: "Person")
  /// update.propertiesToUpdate = ["isActive": false]
  /// update.resultType = .updatedObjectsCountResultType
  /// let count = try context.execute(update).count
  /// ```
  /// - Parameter request: The request.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a request that says it is a save, or what the
  ///   request says.
  /// - Complexity: What the request says.
  @_disfavoredOverload
  @discardableResult
  public func execute<Request: ExecutableRequest>(
    _ request: Request
  ) throws -> Request.ExecutionResult {
    guard request.requestType != .saveRequestType else {
      throw PersistenceError(
        .invalidRequest, "A context executes no save requests: call its save().")
    }
    return try request.execute(in: self)
  }
}
