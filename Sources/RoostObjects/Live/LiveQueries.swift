// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
import RoostModel
import RoostQuery

/// The live queries of a context.
///
/// It passes each change to the affected queries, and reads the rows that they need to evaluate it in one request for
/// all of them.
package final class LiveQueries {
  unowned let context: ManagedObjectContext
  private var queries: [LiveQuery] = []
  private var values: [WeakValue] = []
  /// The index of queries and values by the changes that can affect them; nil when it has to be rebuilt.
  private var index: LiveIndex?
  /// The changes reported during the merges in progress, the innermost last.
  private var merges: [GraphChange] = []
  /// Changes that arrived while another one was processed.
  private var waiting: [GraphChange] = []
  private var isFollowing = false
  /// Whether all objects became invalid, so that the results have to be fetched again at the end of the event.
  private var isInvalidated = false
  private let retry: LiveRetry
  /// Whether the last update of a query or a value failed.
  private var hasStale = false
  /// Whether objects that could not be read are read again without a refresh by the program.
  var settlesFailedReads = false
  /// Whether a query without listeners was found.
  private var hasUnheard = false
  /// The number of times that a query evaluated its plan for a change.
  private(set) var planCount = 0
  /// The number of times that a value was checked against a change.
  private(set) var valueCount = 0
  /// The history token of the last saves that were processed; nil if none had one.
  package private(set) var token: PersistentHistoryToken?

  private struct WeakValue {
    weak var value: LiveValue?
  }

  init(of context: ManagedObjectContext) {
    self.context = context
    retry = LiveRetry(of: context)
  }

  /// The number of queries with a listener, and of values.
  package var count: Int { queries.count { $0.isHeard } + values.count { $0.value != nil } }

  /// The number of times that a live query of a context evaluated its plan for a change.
  package static func planCount(of context: ManagedObjectContext) -> Int {
    (context.eventState.follower as? LiveQueries)?.planCount ?? 0
  }

  /// The number of times that a live value of a context was checked against a change.
  package static func valueCount(of context: ManagedObjectContext) -> Int {
    (context.eventState.follower as? LiveQueries)?.valueCount ?? 0
  }
}

// MARK: - Queries

extension LiveQueries {
  func add(_ value: LiveValue) {
    values.removeAll { $0.value == nil }
    values.append(WeakValue(value: value))
    value.queries = self
    index = nil
  }

  /// Finds or makes a query; with `isFetchedNow` its results are fetched in any case. With `waits`, a query whose
  /// store cannot be read is returned as stale, and retried.
  func query(
    for request: FetchRequest<ManagedObject>, sectionKeyPath: String?, isAlwaysFetched: Bool,
    isFetchedNow: Bool, waits: Bool
  ) throws -> LiveQuery {
    settleFailedReads()
    let known = equalQuery(
      request.criteria, sectionKeyPath: sectionKeyPath, isAlwaysFetched: isAlwaysFetched,
      evenStale: waits)
    if let known {
      if isFetchedNow || known.isStale {
        known.fetchAnew(touched: [])
        known.tell()
        // The query has other listeners, who are notified when a retry succeeds.
        hasStale = hasStale || known.isStale
        noteStale()
      }
      if let error = known.error, !waits || error.endsLiveResults { throw error }
      return known
    }
    let query = try LiveQuery(
      request, sectionKeyPath: sectionKeyPath, isAlwaysFetched: isAlwaysFetched, in: context)
    do {
      try query.begin()
    } catch {
      let error = PersistenceError.wrapping(error)
      guard waits, error.isOfStore else { throw error }
      query.fail(error, missed: [])
      beginRetrying()
    }
    add(query)
    return query
  }

  /// Finds or makes a query; nil when it has more results than the bound.
  func query(
    for request: FetchRequest<ManagedObject>, atMost bound: Int
  ) throws -> LiveQuery? {
    if let known = equalQuery(request.criteria, sectionKeyPath: nil, isAlwaysFetched: false) {
      return known.elements.count <= bound ? known : nil
    }
    let query = try LiveQuery(
      request, sectionKeyPath: nil, isAlwaysFetched: false, in: context)
    guard try query.begin(atMost: bound) else { return nil }
    add(query)
    return query
  }

  /// The current query of an equal request, if there is one.
  private func equalQuery(
    _ criteria: FetchCriteria, sectionKeyPath: String?, isAlwaysFetched: Bool,
    evenStale: Bool = false
  ) -> LiveQuery? {
    queries.first { query in
      query.isHeard && (evenStale || !query.isStale) && query.sectionKeyPath == sectionKeyPath
        && (query.isAlwaysFetched || !isAlwaysFetched)
        && query.request.criteria.isDefinedLike(criteria)
    }
  }

  private func add(_ query: LiveQuery) {
    queries.removeAll { !$0.isHeard }
    queries.append(query)
    index = nil
  }

  /// Drops queries without listeners.
  func removeUnheard() {
    guard !isFollowing else {
      hasUnheard = true
      return
    }
    hasUnheard = false
    guard queries.contains(where: { !$0.isHeard }) else { return }
    queries.removeAll { !$0.isHeard }
    index = nil
  }

  /// The queries that a change can affect.
  private func queries(concernedBy change: GraphChange) -> [LiveQuery] {
    if change.isUnknown { return queries }
    let places = madeIndex().places(concernedBy: change)
    guard hasStale else { return places.map { queries[$0] } }
    // Stale queries retry after any change.
    let known = Set(places)
    return queries.indices.lazy.filter { known.contains($0) || self.queries[$0].isStale }
      .map { self.queries[$0] }
  }

  /// The values that a change can affect.
  private func values(concernedBy change: GraphChange) -> [LiveValue] {
    guard !values.isEmpty else { return [] }
    // Stale values retry after any change.
    if change.isUnknown || hasStale { return values.compactMap(\.value) }
    let places = madeIndex().values(concernedBy: change)
    return places.compactMap { values[$0].value }
  }

  private func madeIndex() -> LiveIndex {
    if let index { return index }
    let found = values.enumerated().compactMap { place, value in
      value.value.map { (place: place, value: $0) }
    }
    let made = LiveIndex(queries, found)
    index = made
    return made
  }
}

// MARK: - Following

extension LiveQueries: GraphFollower {
  func eventDidEnd(_ change: GraphChange) {
    if merges.isEmpty { follow(change) } else { merges[merges.count - 1].add(change) }
  }

  func mergeWillBegin() {
    merges.append(GraphChange())
  }

  func mergeDidEnd(_ change: GraphChange) {
    let merged = GraphChange(event: merges.popLast() ?? GraphChange(), merge: change)
    eventDidEnd(merged)
  }

  func didSave(_ change: GraphChange) {
    follow(change)
  }

  func objectsWereInvalidated() {
    for query in queries { query.invalidate() }
    isInvalidated = true
    context.changes.eventEnding?.schedule()
  }

  func changesWereProcessed() {
    guard isInvalidated else { return }
    isInvalidated = false
    var change = GraphChange()
    change.isUnknown = true
    follow(change)
  }

  /// Processes a change: all queries are updated first, then their listeners are called. Changes made by the
  /// listeners are processed afterwards.
  private func follow(_ change: GraphChange) {
    if !change.isEmpty { waiting.append(change) }
    following {
      while !waiting.isEmpty {
        var change = GraphChange()
        for next in waiting { change.add(next) }
        waiting = []
        bringUpToDate(after: change)
      }
    }
  }

  private func following(_ body: () -> Void) {
    guard !isFollowing else { return }
    isFollowing = true
    body()
    isFollowing = false
    noteStale()
    if hasUnheard { removeUnheard() }
  }

  private func bringUpToDate(after change: GraphChange) {
    settleFailedReads()
    token = token.replaced(by: change.token)
    // Objects that a listener has changed in an unfinished event are not at their positions yet.
    let isUnsettled = !context.changes.event.isEmpty || !context.eventState.untold.isEmpty
    var judging: [Judging] = []
    var fetching: [(query: LiveQuery, touched: Set<ObjectID>)] = []
    let found = queries(concernedBy: change)
    let concerned = found.filter { $0.isHeard }
    hasUnheard = hasUnheard || concerned.count < found.count
    planCount += concerned.count
    for query in concerned {
      switch query.plan(for: change) {
      case .nothing: break
      case .fetch(let touched): fetching.append((query, touched))
      case .judge(let records, let refreshed):
        if isUnsettled {
          let touched = records.lazy.map(\.id) + refreshed.lazy.map(\.identity.current)
          fetching.append((query, Set(touched)))
        } else {
          judging.append((query, records, refreshed))
        }
      }
    }
    judge(judging)
    // After the others: a fetch may merge further saves, which remove objects from the context while lists that are
    // judged still have them.
    for (query, touched) in fetching { query.fetchAnew(touched: touched) }
    for query in concerned where !query.isStale && query.footprint.isShown(change) {
      query.noteShown()
    }
    for query in concerned { query.tell() }
    hasStale = hasStale || concerned.contains { $0.isStale }
    for value in values(concernedBy: change) {
      valueCount += 1
      guard value.isTouched(by: change) else { continue }
      value.computeAnew()
      hasStale = hasStale || value.isStale
    }
  }

  /// Checks whether any query or value is still stale, and schedules or ends retries.
  private func noteStale() {
    if hasStale {
      hasStale =
        queries.contains { $0.isStale && $0.isHeard }
        || values.contains { $0.value?.isStale ?? false }
    }
    retry.note(isStale: hasStale)
  }

  /// Schedules a retry: a query or a value could not be read.
  func beginRetrying() {
    hasStale = true
    if !isFollowing { retry.note(isStale: true) }
  }

  /// Forgets reads that failed in a merge: objects that it should have read are read when they are needed.
  private func settleFailedReads() {
    if settlesFailedReads { FailedReads(in: context).settle() }
  }

  /// Retries the stale queries and values.
  func tryAgain() {
    settleFailedReads()
    let stale = queries.filter { $0.isStale }
    let staleValues = values.compactMap(\.value).filter(\.isStale)
    following {
      for query in stale { query.fetchAnew(touched: []) }
      for query in stale { query.tell() }
      for value in staleValues { value.computeAnew() }
    }
    // Processes the changes that listeners have made meanwhile.
    follow(GraphChange())
  }
}
