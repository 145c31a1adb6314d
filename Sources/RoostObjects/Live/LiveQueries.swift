// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
import RoostModel
package import RoostQuery

/// The live queries of a context: hands each change to those that it concerns, and reads the rows that they judge by in
/// one request for all of them.
package final class LiveQueries {
  private unowned let context: ManagedObjectContext
  private var queries: [LiveQuery] = []
  private var values: [WeakValue] = []
  /// Which queries and values a change can concern; nil while it is to be made anew.
  private var index: LiveIndex?
  /// What was told of the merges that are going on, the innermost last.
  private var merges: [GraphChange] = []
  /// What happened while a change was being followed.
  private var waiting: [GraphChange] = []
  private var isFollowing = false
  /// Whether all objects became useless, and the results are to be fetched anew when the event ends.
  private var isInvalidated = false
  private let retry: LiveRetry
  /// Whether a query or a value could not be brought up to date.
  private var hasStale = false
  /// Whether a query was met to which nobody listens any more.
  private var hasUnheard = false
  /// How often a query was asked what a change means to it.
  private(set) var planCount = 0
  /// How often a value was asked whether a change touches it.
  private(set) var valueCount = 0
  /// The token of the last saves that were followed; nil where none came with one.
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

  /// How often a live query of a context was asked what a change means to it.
  package static func planCount(of context: ManagedObjectContext) -> Int {
    (context.eventState.follower as? LiveQueries)?.planCount ?? 0
  }

  /// How often a live value of a context was asked whether a change touches it.
  package static func valueCount(of context: ManagedObjectContext) -> Int {
    (context.eventState.follower as? LiveQueries)?.valueCount ?? 0
  }
}

extension ManagedObjectContext {
  /// The live queries of the context.
  var liveQueries: LiveQueries {
    if let known = eventState.follower as? LiveQueries { return known }
    let made = LiveQueries(of: self)
    eventState.follower = made
    return made
  }

  /// The token of the last saves that live queries have followed; nil where none came with one.
  package var liveToken: PersistentHistoryToken? {
    (eventState.follower as? LiveQueries)?.token
  }

  /// The number of live queries with a listener.
  package var liveQueryCount: Int { (eventState.follower as? LiveQueries)?.count ?? 0 }

  /// Begins to keep the results of a request up to date. Equal requests have one query.
  ///
  /// - Parameters:
  ///   - request: The request; what is changed of it afterwards does not count.
  ///   - sectionKeyPath: A key path whose changes concern the results too.
  ///   - isAlwaysFetched: Whether each state is read by one request.
  ///   - isFetchedNow: Whether the stores are asked also where the results are known already: a context that does not
  ///     merge what others save knows them as they were.
  ///   - listener: Who is told; not kept alive.
  /// - Throws: As `fetch`.
  package func follow<T>(
    _ request: FetchRequest<T>, sectionKeyPath: String? = nil, isAlwaysFetched: Bool = false,
    isFetchedNow: Bool = false, for listener: any LiveListener
  ) throws -> LiveQuery {
    checkQueue()
    processPendingChanges()
    let query = try liveQueries.query(
      for: FetchRequest(request.criteria), sectionKeyPath: sectionKeyPath,
      isAlwaysFetched: isAlwaysFetched, isFetchedNow: isFetchedNow)
    query.add(listener)
    return query
  }

  /// Ends what `follow` began.
  package func unfollow(_ query: LiveQuery, for listener: any LiveListener) {
    checkQueue()
    query.remove(listener)
    liveQueries.removeUnheard()
  }

  /// Lets go of the queries whose listeners have gone away. Elsewhere than where the context is used it does nothing:
  /// they are found when the context changes next.
  package func forgetUnheardQueries() {
    guard !queue.isWatched || queue.isCurrent else { return }
    (eventState.follower as? LiveQueries)?.removeUnheard()
  }
}

// MARK: - Queries

extension LiveQueries {
  func add(_ value: LiveValue) {
    values.removeAll { $0.value == nil }
    values.append(WeakValue(value: value))
    index = nil
  }

  fileprivate func query(
    for request: FetchRequest<ManagedObject>, sectionKeyPath: String?, isAlwaysFetched: Bool,
    isFetchedNow: Bool
  ) throws -> LiveQuery {
    let criteria = request.criteria
    let known = queries.first { query in
      query.isHeard && !query.isStale && query.sectionKeyPath == sectionKeyPath
        && (query.isAlwaysFetched || !isAlwaysFetched)
        && query.request.criteria.isDefinedLike(criteria)
    }
    if let known {
      if isFetchedNow {
        known.fetchAnew(touched: [])
        known.tell()
        // Others show it, too, and are to hear when it can be read.
        hasStale = hasStale || known.isStale
        noteStale()
      }
      if let error = known.error { throw error }
      return known
    }
    let query = try LiveQuery(
      request, sectionKeyPath: sectionKeyPath, isAlwaysFetched: isAlwaysFetched, in: context)
    try query.begin()
    queries.removeAll { !$0.isHeard }
    queries.append(query)
    index = nil
    return query
  }

  fileprivate func removeUnheard() {
    guard !isFollowing else {
      hasUnheard = true
      return
    }
    hasUnheard = false
    guard queries.contains(where: { !$0.isHeard }) else { return }
    queries.removeAll { !$0.isHeard }
    index = nil
  }

  /// The queries that a change can concern.
  private func queries(concernedBy change: GraphChange) -> [LiveQuery] {
    if change.isUnknown { return queries }
    let places = madeIndex().places(concernedBy: change)
    guard hasStale else { return places.map { queries[$0] } }
    // Who could not be brought up to date tries again with whatever happens.
    let known = Set(places)
    return queries.indices.lazy.filter { known.contains($0) || self.queries[$0].isStale }
      .map { self.queries[$0] }
  }

  /// The values that a change can concern.
  private func values(concernedBy change: GraphChange) -> [LiveValue] {
    guard !values.isEmpty else { return [] }
    // Who could not be computed tries again with whatever happens.
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

  /// Follows changes: first all queries are brought up to date, then their listeners hear of it. What the listeners
  /// change is followed afterwards.
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
    token = token.replaced(by: change.token)
    // Where a listener has changed objects and its event is not over, they do not stand where they belong.
    let isUnsettled = !context.changes.event.isEmpty || !context.eventState.untold.isEmpty
    var judging: [Judging] = []
    let found = queries(concernedBy: change)
    let concerned = found.filter { $0.isHeard }
    hasUnheard = hasUnheard || concerned.count < found.count
    planCount += concerned.count
    for query in concerned {
      switch query.plan(for: change) {
      case .nothing: break
      case .fetch(let touched): query.fetchAnew(touched: touched)
      case .judge(let records, let refreshed):
        if isUnsettled {
          let touched = records.lazy.map(\.id) + refreshed.lazy.map(\.identity.current)
          query.fetchAnew(touched: Set(touched))
        } else {
          judging.append((query, records, refreshed))
        }
      }
      if query.footprint.isShown(change), !query.isStale { query.noteShown() }
    }
    judge(judging)
    for query in concerned { query.tell() }
    hasStale = hasStale || concerned.contains { $0.isStale }
    for value in values(concernedBy: change) {
      valueCount += 1
      guard value.isTouched(by: change) else { continue }
      value.computeAnew()
      hasStale = hasStale || value.isStale
    }
  }

  /// Looks whether something is still to be tried again, if there was anything.
  private func noteStale() {
    if hasStale {
      hasStale =
        queries.contains { $0.isStale && $0.isHeard }
        || values.contains { $0.value?.isStale ?? false }
    }
    retry.note(isStale: hasStale)
  }

  /// Tries again what could not be brought up to date.
  func tryAgain() {
    let stale = queries.filter { $0.isStale }
    let staleValues = values.compactMap(\.value).filter(\.isStale)
    following {
      for query in stale { query.fetchAnew(touched: []) }
      for query in stale { query.tell() }
      for value in staleValues { value.computeAnew() }
    }
    // What listeners have changed meanwhile.
    follow(GraphChange())
  }

  private typealias Judging = (
    query: LiveQuery, records: [GraphChange.Record], refreshed: [ManagedObject]
  )

  private func judge(_ judging: [Judging]) {
    guard !judging.isEmpty else { return }
    var objects: [ObjectID: ManagedObject] = [:]
    for record in judging.lazy.flatMap(\.records) where objects[record.id] == nil {
      objects[record.id] = record.object ?? context.object(with: record.id)
    }
    do {
      try read(objects.values)
    } catch {
      for (query, records, refreshed) in judging {
        let missed = records.lazy.map(\.id) + refreshed.lazy.map(\.identity.current)
        query.fail(error, missed: Set(missed))
      }
      return
    }
    for (query, records, refreshed) in judging {
      // Of what several changes tell of a record the last counts.
      var seen: Set<ObjectIdentifier> = []
      var gone: [ManagedObject] = []
      var judged: [ManagedObject] = []
      for record in records.reversed() {
        guard let object = objects[record.id], seen.insert(ObjectIdentifier(object)).inserted
        else { continue }
        if record.kind == .deleted { gone.append(object) } else { judged.append(object) }
      }
      query.judge(judged, gone: gone, refreshed: refreshed)
    }
  }

  /// Reads the rows of objects that are judged, in one request; most have theirs.
  private func read(_ objects: some Collection<ManagedObject>) throws {
    let faults = ContiguousArray(
      objects.lazy.filter { $0.isFault && !$0.flags.contains(.deleted) && $0.context != nil })
    guard !faults.isEmpty else { return }
    try context.fetcher.reading { () throws(PersistenceError) in
      try context.loader.realize(faults)
    }
  }
}
