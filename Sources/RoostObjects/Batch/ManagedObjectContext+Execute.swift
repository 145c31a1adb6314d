// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension ManagedObjectContext {
  /// Executes a request other than a plain fetch: a batch request, or an asynchronous fetch.
  ///
  /// ```swift
  /// let update = BatchUpdateRequest(entityName: "Person")
  /// update.propertiesToUpdate = ["isActive": false]
  /// update.resultType = .updatedObjectsCountResultType
  /// let count = try context.execute(update).count
  /// ```
  /// - Parameter request: The request.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a request that claims to be a save, or the errors
  ///   documented for the request.
  /// - Complexity: As documented for the request.
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
