// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel
public import RoostObjects
public import RoostStore

extension ManagedObjectContext {
  /// Executes a batch request or an asynchronous fetch. The result has a type specific to the request: cast it, as in
  /// Core Data.
  ///
  /// - Throws: `NSError` with code `NSPersistentStoreUnsupportedRequestTypeError` for a request that can only be
  ///   fetched.
  @discardableResult
  public func execute(_ request: any PersistentStoreRequest) throws -> PersistentStoreResult {
    try asFoundation {
      guard let request = request as? any ExecutableRequest else {
        throw PersistenceError(
          .persistentStoreUnsupportedRequestType, "A fetch request is given to fetch(_:).")
      }
      return try bridge.carriedOut(request)
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
