// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
public import RoostModel

/// The result of a request that runs in the background. It is used on the queue of its context, except for
/// ``cancel()`` and the progress, which may be used on any thread.
///
/// ```swift
/// let result = try context.execute(request)
/// result.cancel()
/// ```
nonisolated open class PersistentStoreAsynchronousResult: PersistentStoreResult {
  /// The context that executes the request.
  public let managedObjectContext: ManagedObjectContext
  /// The progress; never nil, but an optional as in Core Data. Cancelling it cancels the request.
  public var progress: Progress? { work }
  /// The progress.
  final let work: Progress
  /// The error of a failed request; nil while it runs, and when it succeeded. A request cancelled while it ran has
  /// `userCancelled`; one cancelled before that has no error and an empty result.
  public internal(set) var operationError: PersistenceError?

  init(context: ManagedObjectContext, expected: Int) {
    managedObjectContext = context
    work = Progress(totalUnitCount: Int64(max(expected, 1)))
  }

  /// Cancels the request. Results found by then are dropped.
  public final func cancel() {
    work.cancel()
  }
}

/// The result of an asynchronous fetch.
///
/// ```swift
/// let request = AsynchronousFetchRequest(fetchRequest: Person.fetchRequest()) { result in
///   show(result.finalResult ?? [])
/// }
/// ```
public final class AsynchronousFetchResult<ResultType>: PersistentStoreAsynchronousResult {
  /// The request.
  public let fetchRequest: AsynchronousFetchRequest<ResultType>
  /// The fetched objects; nil until the fetch has ended, and after an error.
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
