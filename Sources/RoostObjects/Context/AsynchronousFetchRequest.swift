// SPDX-License-Identifier: Apache-2.0

public import RoostQuery
public import RoostStore

/// A fetch that does not block its context: it queries the stores on another thread, and registers the objects on the
/// context's queue when the result is available.
///
/// ```swift
/// let request = AsynchronousFetchRequest(fetchRequest: Person.fetchRequest()) { result in
///   print(result.finalResult?.count ?? 0, "people")
/// }
/// let result = try context.execute(request)
/// result.cancel()
/// ```
public final class AsynchronousFetchRequest<ResultType>: ExecutableRequest {
  /// A callback on the context's queue when the fetch has ended.
  public typealias CompletionBlock = (AsynchronousFetchResult<ResultType>) -> Void

  /// The fetch request; it is read when this request is executed.
  public let fetchRequest: FetchRequest<ResultType>
  /// The callback on the context's queue when the fetch has ended, failed or was cancelled.
  public let completionBlock: CompletionBlock?
  /// The expected number of results: the total of the progress.
  public var estimatedResultCount = 0

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - fetchRequest: The fetch request.
  ///   - completionBlock: A callback when the fetch has ended.
  public init(
    fetchRequest: FetchRequest<ResultType>, completionBlock: CompletionBlock? = nil
  ) {
    self.fetchRequest = fetchRequest
    self.completionBlock = completionBlock
  }

  /// ``PersistentStoreRequestType/fetchRequestType``.
  public var requestType: PersistentStoreRequestType { .fetchRequestType }

  /// The stores of the fetch request.
  public var affectedStoreIdentifiers: [String]? { fetchRequest.affectedStoreIdentifiers }

  /// Starts the fetch, and returns immediately.
  ///
  /// - Throws: ``PersistenceError`` for an invalid request, as `fetch`; an error of a store is in the result.
  /// - Complexity: As `fetch`. If unsaved changes of the context affect the request, and in a context with a parent,
  ///   the fetch runs on the context's queue.
  public func execute(
    in context: ManagedObjectContext
  ) throws -> AsynchronousFetchResult<ResultType> {
    context.checkQueue()
    let result = AsynchronousFetchResult(self, context: context)
    try AsynchronousFetch(result: result, context: context).start()
    return result
  }
}
