// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
import RoostModel
package import RoostQuery

extension ManagedObjectContext {
  /// The live queries of the context.
  var liveQueries: LiveQueries {
    if let known = eventState.follower as? LiveQueries { return known }
    let made = LiveQueries(of: self)
    eventState.follower = made
    return made
  }

  /// The history token of the last saves that live queries have processed; nil if none had one.
  package var liveToken: PersistentHistoryToken? {
    (eventState.follower as? LiveQueries)?.token
  }

  /// The number of live queries with a listener.
  package var liveQueryCount: Int { (eventState.follower as? LiveQueries)?.count ?? 0 }

  /// Starts keeping the results of a request up to date. Equal requests share one query.
  ///
  /// - Parameters:
  ///   - request: The request; later changes of it have no effect.
  ///   - sectionKeyPath: A key path whose changes also affect the results.
  ///   - isAlwaysFetched: Whether each state is read by one request.
  ///   - isFetchedNow: Whether to fetch even when an equal query has results: in a context that does not merge other
  ///     saves they may be out of date.
  ///   - waits: Whether to return a stale query, which is retried, when a store cannot be read.
  ///   - listener: The observer; a weak reference.
  /// - Throws: As `fetch`.
  package func follow<T>(
    _ request: FetchRequest<T>, sectionKeyPath: String? = nil, isAlwaysFetched: Bool = false,
    isFetchedNow: Bool = false, waits: Bool = false, for listener: any LiveListener
  ) throws -> LiveQuery {
    checkQueue()
    processPendingChanges()
    let query = try liveQueries.query(
      for: FetchRequest(request.criteria), sectionKeyPath: sectionKeyPath,
      isAlwaysFetched: isAlwaysFetched, isFetchedNow: isFetchedNow, waits: waits)
    query.add(listener)
    return query
  }

  /// Removes a listener that `follow` added.
  package func unfollow(_ query: LiveQuery, for listener: any LiveListener) {
    checkQueue()
    query.remove(listener)
    liveQueries.removeUnheard()
  }

  /// Drops queries without listeners. Outside the context's queue it does nothing: they are found at the next change
  /// of the context.
  package func forgetUnheardQueries() {
    guard !queue.isWatched || queue.isCurrent else { return }
    (eventState.follower as? LiveQueries)?.removeUnheard()
  }
}
