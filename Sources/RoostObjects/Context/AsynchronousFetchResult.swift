// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
public import RoostModel

/// What a request that goes on in the background will have found: used on the queue of its context, but for
/// ``cancel()`` and the progress, which may be used anywhere.
///
/// ```swift
/// let result = try context.execute(request)
/// result.cancel()
/// ```
nonisolated open class PersistentStoreAsynchronousResult: PersistentStoreResult {
  /// The context that executes the request.
  public let managedObjectContext: ManagedObjectContext
  /// How far it is; never nil, but an optional as in Core Data. Cancelling it cancels the request.
  public var progress: Progress? { work }
  /// How far it is.
  final let work: Progress
  /// Why there is no result; nil while it goes on, and when it succeeded. A request that was cancelled while it ran has
  /// `userCancelled`; one that was cancelled before has no error and an empty result.
  public internal(set) var operationError: PersistenceError?

  init(context: ManagedObjectContext, expected: Int) {
    managedObjectContext = context
    work = Progress(totalUnitCount: Int64(max(expected, 1)))
  }

  /// Asks the request to end. What the stores have found by then is dropped.
  public final func cancel() {
    work.cancel()
  }
}

/// What an asynchronous fetch will have found.
///
/// ```swift
/// let request = AsynchronousFetchRequest(fetchRequest: Person.fetchRequest()) { result in
///   show(result.finalResult ?? [])
/// }
/// ```
public final class AsynchronousFetchResult<ResultType>: PersistentStoreAsynchronousResult {
  /// The request.
  public let fetchRequest: AsynchronousFetchRequest<ResultType>
  /// The objects, once the fetch has ended; nil after an error.
  public internal(set) var finalResult: [ResultType]?

  init(_ request: AsynchronousFetchRequest<ResultType>, context: ManagedObjectContext) {
    fetchRequest = request
    super.init(context: context, expected: request.estimatedResultCount)
  }

  /// Ends the fetch, and resumes its waiters.
  func finish(_ outcome: Result<[ResultType], any Error>) {
    switch outcome {
    case .success(let objects):
      finalResult = objects
      work.totalUnitCount = max(work.totalUnitCount, Int64(objects.count))
      work.completedUnitCount = work.totalUnitCount
    case .failure(let error): operationError = .wrapping(error, .persistentStoreOperation)
    }
    fetchRequest.completionBlock?(self)
  }
}
