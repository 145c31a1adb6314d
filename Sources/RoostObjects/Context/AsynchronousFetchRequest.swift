// SPDX-License-Identifier: Apache-2.0

public import RoostQuery
public import RoostStore

/// A fetch that does not hold its context up: the stores are asked on another thread, and the objects are registered on
/// the context's queue when the answer is there.
///
/// ```swift
/// let request = AsynchronousFetchRequest(fetchRequest: Person.fetchRequest()) { result in
///   print(result.finalResult?.count ?? 0, "people")
/// }
/// let result = try context.execute(request)
/// result.cancel()
/// ```
public final class AsynchronousFetchRequest<ResultType>: ExecutableRequest {
  /// What is called on the context's queue when the fetch has ended.
  public typealias CompletionBlock = (AsynchronousFetchResult<ResultType>) -> Void

  /// What is fetched; it is read when the request is executed.
  public let fetchRequest: FetchRequest<ResultType>
  /// What is called on the context's queue when the fetch has ended, also when it failed or was cancelled.
  public let completionBlock: CompletionBlock?
  /// How many results are expected: the total of the progress.
  public var estimatedResultCount = 0

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - fetchRequest: What is fetched.
  ///   - completionBlock: What is called when the fetch has ended.
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

  /// Begins the fetch, and returns at once.
  ///
  /// - Throws: ``PersistenceError`` for a request that means nothing, as `fetch`; what a store throws is in the result.
  /// - Complexity: As `fetch`. Where unsaved changes of the context concern the request, and in a context with a
  ///   parent, the context's queue asks itself.
  public func execute(
    in context: ManagedObjectContext
  ) throws -> AsynchronousFetchResult<ResultType> {
    context.checkQueue()
    let result = AsynchronousFetchResult(self, context: context)
    try AsynchronousFetch(result: result, context: context).start()
    return result
  }
}
