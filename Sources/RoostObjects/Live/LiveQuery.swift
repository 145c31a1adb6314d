// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
package import RoostModel
import RoostQuery

/// An observer of a live query, called on the queue of its context.
package protocol LiveListener: AnyObject {
  /// Called after each change of the results.
  func liveQuery(_ query: LiveQuery, did step: LiveStep)
  /// Called when an update of the results failed; it is retried when the context changes.
  func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError)
  /// Called when all objects became invalid; the results are then fetched again for the remaining listeners.
  func liveQueryWasInvalidated(_ query: LiveQuery)
}

/// A change of the results of a live query.
package struct LiveStep {
  /// Removed, inserted and refreshed results.
  package let change: ListChange
  /// The results before.
  package let old: [ManagedObject]
  /// The results now.
  package let new: [ManagedObject]
  /// Whether records displayed with the results were changed: any result may look different.
  package let concernsShown: Bool
}

/// A fetch request whose results are kept up to date while its context changes.
///
/// Only changes that can affect the results are processed. After a change of the results' own records, each changed
/// object is evaluated and moved to its position. After a change that affects the results through a relationship, and
/// for a request with a great offset, the results are fetched again and compared.
package final class LiveQuery {
  unowned let context: ManagedObjectContext
  /// The request, a private copy that is not mutated.
  let request: FetchRequest<ManagedObject>
  /// The key path of section names, whose changes also affect the results.
  let sectionKeyPath: String?
  /// Whether every relevant change fetches the results again, in one request.
  let isAlwaysFetched: Bool
  private(set) var footprint: LiveFootprint
  private var list: LiveList
  private let judge: LiveJudge
  private var listeners: [WeakListener] = []
  /// The error of the last failed update; nil while the results are up to date.
  package private(set) var error: PersistenceError?
  /// The changed records that were not reported because of the error.
  private var missed: Set<ObjectID> = []
  /// The steps not delivered to the listeners yet.
  private var untold: [LiveStep] = []
  private var isTelling = false
  private var toldCount = 0
  /// The results before all objects became invalid, until they are fetched again; nil otherwise.
  private var lost: [ObjectID]?

  private struct WeakListener {
    weak var listener: (any LiveListener)?
    /// The number of the first step that is not part of the listener's initial results.
    let firstStep: Int
  }

  /// Creates a query without fetching.
  ///
  /// - Throws: As `fetch`.
  init(
    _ request: FetchRequest<ManagedObject>, sectionKeyPath: String?, isAlwaysFetched: Bool,
    in context: ManagedObjectContext
  ) throws {
    self.context = context
    self.request = request
    self.sectionKeyPath = sectionKeyPath
    let fetch = try context.fetcher.resolve(request)
    footprint = LiveFootprint(fetch, sectionsBy: sectionKeyPath, request, in: context)
    judge = try LiveJudge(fetch, in: context)
    let criteria = request.criteria
    footprint.addShown(criteria.relationshipKeyPathsForPrefetching ?? [], of: fetch.entity)
    self.isAlwaysFetched = !LiveFetchReason.all(for: criteria, isAlwaysFetched).isEmpty
    list = LiveList(
      judge, limit: criteria.fetchLimit > 0 ? criteria.fetchLimit : nil,
      offset: self.isAlwaysFetched ? 0 : max(0, criteria.fetchOffset))
  }

  /// The results as of the last event.
  package var elements: [ManagedObject] { list.elements }

  /// Whether the results are stale, because their last update failed.
  package var isStale: Bool { error != nil }
}

// MARK: - Listeners

extension LiveQuery {
  func add(_ listener: any LiveListener) {
    remove(listener)
    listeners.append(
      WeakListener(listener: listener, firstStep: toldCount + untold.count))
  }

  func remove(_ listener: any LiveListener) {
    listeners.removeAll { $0.listener == nil || $0.listener === listener }
  }

  /// Whether any of the objects is a result, or kept beside the results.
  func keeps(_ objects: some Sequence<ManagedObject>) -> Bool {
    objects.contains { list.members.contains(ObjectIdentifier($0)) }
  }

  var isHeard: Bool { listeners.contains { $0.listener != nil } }

  /// Queues a change for delivery; listeners are called when the other queries are up to date, too.
  private func note(
    _ change: ListChange, from old: [ManagedObject], concernsShown: Bool = false,
    isRecovery: Bool = false
  ) {
    guard !change.isEmpty || concernsShown || isRecovery else { return }
    var change = change
    change.token = context.liveQueries.token
    untold.append(
      LiveStep(change: change, old: old, new: elements, concernsShown: concernsShown))
  }

  /// Delivers the queued steps to the listeners. Changes made by a listener are delivered afterwards, so that all
  /// listeners receive the same changes in the same order.
  func tell() {
    guard !isTelling else { return }
    isTelling = true
    defer { isTelling = false }
    while !untold.isEmpty {
      let step = untold.removeFirst()
      for listener in listeners where listener.firstStep <= toldCount {
        listener.listener?.liveQuery(self, did: step)
      }
      toldCount += 1
    }
  }

  /// Records that an update of the results failed, and notifies the listeners.
  ///
  /// - Parameter missed: The records whose changes are reported with the next successful update.
  func fail(_ error: any Error, missed: Set<ObjectID>) {
    let error = PersistenceError.wrapping(error, .persistentStoreOperation)
    self.error = error
    self.missed.formUnion(missed)
    for listener in listeners { listener.listener?.liveQuery(self, failedWith: error) }
  }
}

// MARK: - Fetching

extension LiveQuery {
  /// Queues a step that reports a change of records displayed with the results.
  func noteShown() {
    note(ListChange(), from: elements, concernsShown: true)
  }

  /// Fetches the results for the first time, without notifying listeners.
  func begin() throws {
    list.replace(with: try fetched())
    error = nil
  }

  /// Fetches the results of a request without limit and offset for the first time, unless there are too many.
  ///
  /// - Parameter bound: The greatest number of results.
  /// - Returns: Whether they are no more than the bound; otherwise one more than that is read, and nothing kept.
  func begin(atMost bound: Int) throws -> Bool {
    let found = try context.fetcher.fetchObjects(request.changed { $0.fetchLimit = bound + 1 })
    guard found.count <= bound else { return false }
    list.replace(with: found)
    error = nil
    return true
  }

  private func fetched() throws -> [ManagedObject] {
    guard !isAlwaysFetched, list.fetchLimit != nil || list.offset > 0 else {
      return try context.fetcher.fetchObjects(request)
    }
    return try context.fetcher.fetchObjects(
      request.changed {
        $0.fetchOffset = 0
        $0.fetchLimit = list.fetchLimit ?? 0
      })
  }

  /// Fetches the results again and queues the differences.
  ///
  /// - Parameter touched: Records that were changed.
  func fetchAnew(touched: Set<ObjectID>) {
    do {
      let old = elements
      let oldIDs = lost ?? old.map(\.identity.current)
      list.replace(with: try fetched())
      let isRecovery = isStale
      error = nil
      let changed = touched.union(missed)
      missed = []
      var change = ListChange(from: oldIDs, to: elements.map(\.identity.current)) {
        changed.contains($0)
      }
      if lost != nil { change = change.asReset }
      lost = nil
      // Section names may have changed although no record has moved.
      note(
        change, from: old, concernsShown: sectionKeyPath != nil && change.isEmpty,
        isRecovery: isRecovery)
    } catch {
      fail(error, missed: touched)
    }
  }

  /// Releases all objects, which became invalid.
  func invalidate() {
    lost = lost ?? elements.map(\.identity.current)
    list.removeAll()
    for listener in listeners { listener.listener?.liveQueryWasInvalidated(self) }
  }
}

extension LiveFootprint {
  /// Creates the footprint of a request and of its section names.
  init<T>(
    _ fetch: ResolvedFetch, sectionsBy keyPath: String?, _ request: FetchRequest<T>,
    in context: ManagedObjectContext
  ) {
    let sections = keyPath.map { path in
      FetchRequest<ManagedObject>(request.criteria).changed {
        $0.sortDescriptors = [SortOrdering(path)]
      }
    }
    // Section names may be computed by the program; their dependencies are unknown then.
    self.init(fetch, and: sections.flatMap { try? context.fetcher.resolve($0) })
  }
}

extension ListChange {
  fileprivate var asReset: ListChange {
    ListChange(removed: removed, inserted: inserted, refreshed: refreshed, isReset: true)
  }
}

// MARK: - Following

extension LiveQuery {
  /// The action of a query after a change.
  enum Plan {
    /// No action: the change does not affect the results.
    case nothing
    /// Fetch the results again; `touched` are the changed records.
    case fetch(touched: Set<ObjectID>)
    /// Evaluate the records, and report the `refreshed` objects as changed.
    case judge([GraphChange.Record], refreshed: [ManagedObject])
  }

  /// Determines the action that a change requires.
  ///
  /// - Complexity: O(changed records of the request's entities); no request.
  func plan(for change: GraphChange) -> Plan {
    var judged: [GraphChange.Record] = []
    var refreshed: [ManagedObject] = []
    for (key, change) in change.entities where footprint.own[key] != nil {
      let mayConcernAll = change.hasOthers || footprint.isTouched(by: change.properties, of: key)
      for record in change.records {
        let isMember = record.object.map { list.members.contains(ObjectIdentifier($0)) } ?? false
        guard mayConcernAll || isMember else { continue }
        switch record.kind {
        case .inserted: judged.append(record)
        case .deleted, .saved: if isMember { judged.append(record) }
        case .written: break
        case .updated:
          if footprint.isTouched(by: record.properties, of: key) { judged.append(record) }
          if isMember, let object = record.object, record.properties?.isEmpty != true {
            refreshed.append(object)
          }
        }
      }
    }
    let isBehind = isStale || lost != nil || change.isUnknown
    let isConcerned = !judged.isEmpty || !refreshed.isEmpty
    if isBehind || footprint.isTouchedElsewhere(by: change)
      || isAlwaysFetched && (isConcerned || concernsStoredState(change))
    {
      let touched = judged.lazy.map(\.id) + refreshed.lazy.map(\.identity.current)
      return .fetch(touched: Set(touched))
    }
    return isConcerned ? .judge(judged, refreshed: refreshed) : .nothing
  }

  /// Whether a change can affect records that the query does not keep: those before an offset, and the stored state
  /// when the request excludes unsaved changes.
  private func concernsStoredState(_ change: GraphChange) -> Bool {
    func isConcerned(_ key: ObjectIdentifier) -> Bool {
      change.entities[key]?.records.contains { $0.kind != .updated } ?? false
    }
    return footprint.own.keys.contains(where: isConcerned)
      || footprint.related.keys.contains(where: isConcerned)
  }

  /// Evaluates changed objects, moves them to their positions and queues the differences. Their rows are already
  /// loaded.
  func judge(_ objects: [ManagedObject], gone: [ManagedObject], refreshed: [ManagedObject]) {
    let kept = list.kept
    let touched = Set((objects + refreshed).lazy.map(\.identity.current))
    do {
      var verdicts = LiveList.Verdicts()
      verdicts.refreshed = refreshed
      verdicts.judged = gone.filter { list.members.contains(ObjectIdentifier($0)) }
      for object in objects {
        if list.members.contains(ObjectIdentifier(object)) { verdicts.judged.append(object) }
        if try judge.matches(object) { verdicts.matching.append(object) }
      }
      let old = elements
      guard let change = try list.take(verdicts) else {
        list.restore(kept)
        return fetchAnew(touched: touched)
      }
      note(change, from: old)
    } catch {
      list.restore(kept)
      fail(error, missed: touched)
    }
  }
}
