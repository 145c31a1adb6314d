// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RoostCoordinator
import RoostModel
import RoostQuery
import RoostStore

/// The steps of an asynchronous fetch: it resolves the request at once, reads the stores on another queue, and
/// creates the objects on the context's queue.
struct AsynchronousFetch<ResultType> {
  let result: AsynchronousFetchResult<ResultType>
  let context: ManagedObjectContext

  /// The outcome of the request to the stores.
  private enum Answer: Sendable {
    /// Cancelled before the request was sent.
    case none
    /// Deferred: a parent context is asked when the objects are created, on its own queue.
    case later
    case stores(Result<CoordinatorFetchResult, any Error>, commitCount: Int)
  }

  func start() throws {
    context.processPendingChanges()
    let request = FetchRequest<ManagedObject>(result.fetchRequest.fetchRequest.criteria)
    let resolved = try context.fetcher.resolve(request)
    let asked = try context.fetcher.coordinatorFetch(resolved, for: request)
    let progress = result.work
    guard case .coordinator(let coordinator, let generation) = try context.upstream.source() else {
      context.perform { finish(progress.isCancelled ? .none : .later, request, resolved) }
      return
    }
    // The result and the context are accessed by closures on the context's queue only, as `perform` requires.
    nonisolated(unsafe) let fetch = self
    let (caller, limit) = (context.requestCaller(), context.requestLimit)
    let cancellation = RequestCancellation()
    progress.cancellationHandler = { cancellation.cancel() }
    // A separate queue: a request blocks while it waits for its store, and must not block a thread of a shared pool.
    DispatchQueue(label: "roost.fetch").async {
      var answer = Answer.none
      if !progress.isCancelled {
        let commitCount = coordinator.commitCount
        answer = .stores(
          Result {
            try RequestScope.cancellable(by: cancellation) {
              func ask() throws -> CoordinatorFetchResult {
                try coordinator.fetch(asked, in: generation)
              }
              func call() throws -> CoordinatorFetchResult { try caller?.calling(ask) ?? ask() }
              return try limit?.limiting(call) ?? call()
            }
          }, commitCount: commitCount)
      }
      fetch.context.perform { [answer] in fetch.finish(answer, request, resolved) }
    }
  }

  private func finish(
    _ answer: Answer, _ request: FetchRequest<ManagedObject>, _ resolved: ResolvedFetch
  ) {
    if case .none = answer { return result.finish(.success([])) }
    result.finish(
      Result {
        guard !result.work.isCancelled else {
          throw PersistenceError(
            .userCancelled, "The fetch was cancelled.", entityName: resolved.entity.name)
        }
        return try objects(answer, request, resolved).map(typed)
      })
  }

  private func objects(
    _ answer: Answer, _ request: FetchRequest<ManagedObject>, _ resolved: ResolvedFetch
  ) throws -> [ManagedObject] {
    guard case .stores(let found, let commitCount) = answer else {
      return try context.fetch(request)
    }
    context.statistics.roundTrips += 1
    if request.includesPendingChanges, try context.fetcher.overlay(for: resolved, request) != nil {
      return try context.fetch(request)
    }
    guard case .rows(let rows) = try found.get() else { return [] }
    context.statistics.rowsFetched += rows.count
    context.loading.commitCountOfFetch = commitCount
    let objects = context.materializer.materialize(
      rows, refreshing: request.shouldRefreshRefetchedObjects)
    if !request.returnsObjectsAsFaults { try context.loader.realize(ContiguousArray(objects)) }
    try context.loader.prefetch(request.relationshipKeyPathsForPrefetching ?? [], of: objects)
    return objects
  }

  private func typed(_ object: ManagedObject) throws -> ResultType {
    guard let object = object as? ResultType else {
      throw ManagedObjectContext.wrongClass(object, wanted: ResultType.self)
    }
    return object
  }
}
