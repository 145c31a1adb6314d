// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel
public import RoostObjects
public import RoostStore

extension ManagedObjectContext {
  /// Executes a request that is no plain fetch: a batch request, or an asynchronous fetch.
  ///
  /// - Throws: `NSError`.
  @discardableResult
  public func execute<Request: ExecutableRequest>(
    _ request: Request
  ) throws -> Request.ExecutionResult {
    try asFoundation { try carriedOut(request) }
  }

  /// Executes a request whose kind is not known.
  ///
  /// - Throws: `NSError` with code `NSPersistentStoreUnsupportedRequestTypeError` for one that can only be fetched.
  @discardableResult
  @_disfavoredOverload
  public func execute(_ request: any PersistentStoreRequest) throws -> PersistentStoreResult {
    try asFoundation {
      guard let request = request as? any ExecutableRequest else {
        throw PersistenceError(
          .persistentStoreUnsupportedRequestType, "A fetch request is given to fetch(_:).")
      }
      return try carriedOut(request)
    }
  }
}

extension PersistentStoreCoordinator {
  /// Executes a request on behalf of a context.
  ///
  /// - Throws: `NSError`.
  @discardableResult
  public func execute(
    _ request: any PersistentStoreRequest, with context: ManagedObjectContext
  ) throws -> Any {
    try context.execute(request)
  }
}
