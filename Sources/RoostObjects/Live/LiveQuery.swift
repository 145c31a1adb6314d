// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
package import RoostModel
import RoostQuery

/// Told of what becomes of a live query; on the queue of its context.
package protocol LiveListener: AnyObject {
  /// The results are others than before, or were changed.
  func liveQuery(_ query: LiveQuery, did step: LiveStep)
  /// The results could not be brought up to date; it is tried again when the context changes.
  func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError)
  /// All objects became useless; the results are fetched anew for those who still listen afterwards.
  func liveQueryWasInvalidated(_ query: LiveQuery)
}

/// How the results of a live query changed.
package struct LiveStep {
  /// Who left, came, and was changed.
  package let change: ListChange
  /// The results before.
  package let old: [ManagedObject]
  /// The results now.
  package let new: [ManagedObject]
  /// Whether something that is shown with the results was changed: any of them may look different.
  package let concernsShown: Bool
}

/// A fetch request whose results are kept up to date while its context changes.
///
/// It is evaluated anew only for what touches it: of a change that concerns its results alone each changed object is
/// judged and moved to its place; one that reaches the results through a relationship, or a request with a great
/// offset, is fetched anew and compared.
package final class LiveQuery {
  unowned let context: ManagedObjectContext
  /// What is fetched; nobody changes it.
  let request: FetchRequest<ManagedObject>
  /// A key path besides those of the request whose changes concern the results: that of section names.
  let sectionKeyPath: String?
  /// Whether each change is fetched anew, in one request.
  let isAlwaysFetched: Bool
  private(set) var footprint: LiveFootprint
  private var list: LiveList
  private let judge: LiveJudge
  private var listeners: [WeakListener] = []
  /// Why the results are not up to date; nil while they are.
  package private(set) var error: PersistenceError?
  /// The records whose changes could not be told because of it.
  private var missed: Set<ObjectID> = []
  /// What was found out and not told yet.
  private var untold: [LiveStep] = []
  private var isTelling = false
  private var toldCount = 0
  /// The results before all objects became useless; nil unless they are fetched anew because of that.
  private var lost: [ObjectID]?

  private struct WeakListener {
    weak var listener: (any LiveListener)?
    /// The number of the first step that it has not seen in the results with which it began.
    let firstStep: Int
  }

  /// Makes a query; nothing is fetched yet.
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

  /// Whether the results are behind, because they could not be brought up to date.
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

  /// Whether one of some objects is a result, or kept with the results.
  func keeps(_ objects: some Sequence<ManagedObject>) -> Bool {
    objects.contains { list.members.contains(ObjectIdentifier($0)) }
  }

  var isHeard: Bool { listeners.contains { $0.listener != nil } }

  /// Notes a change, which is told when the other queries are up to date, too.
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

  /// Tells the listeners what was noted. What they cause meanwhile is told afterwards, so that all hear of the same
  /// changes in the same order.
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

  /// Notes that the results could not be brought up to date.
  ///
  /// - Parameter missed: The records whose changes are to be told when they are.
  func fail(_ error: any Error, missed: Set<ObjectID>) {
    let error = PersistenceError.wrapping(error, .persistentStoreOperation)
    self.error = error
    self.missed.formUnion(missed)
    for listener in listeners { listener.listener?.liveQuery(self, failedWith: error) }
  }
}

// MARK: - Fetching

extension LiveQuery {
  /// Notes that something that is shown with the results was changed.
  func noteShown() {
    note(ListChange(), from: elements, concernsShown: true)
  }

  /// Fetches the results for the first time, without telling anybody.
  func begin() throws {
    list.replace(with: try fetched())
    error = nil
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

  /// Fetches the results anew and notes how they differ.
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
      // Names of sections may have changed where no record has moved.
      note(
        change, from: old, concernsShown: sectionKeyPath != nil && change.isEmpty,
        isRecovery: isRecovery)
    } catch {
      fail(error, missed: touched)
    }
  }

  /// Lets go of all objects, which became useless.
  func invalidate() {
    lost = lost ?? elements.map(\.identity.current)
    list.removeAll()
    for listener in listeners { listener.listener?.liveQueryWasInvalidated(self) }
  }
}

extension LiveFootprint {
  /// What a request reads, and what the names of its sections do.
  init<T>(
    _ fetch: ResolvedFetch, sectionsBy keyPath: String?, _ request: FetchRequest<T>,
    in context: ManagedObjectContext
  ) {
    let sections = keyPath.map { path in
      FetchRequest<ManagedObject>(request.criteria).changed {
        $0.sortDescriptors = [SortOrdering(path)]
      }
    }
    // The names of sections may be computed by the program: then nobody knows what they depend on.
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
  /// What a change asks of a query.
  enum Plan {
    /// Nothing: it does not concern the results.
    case nothing
    /// To fetch the results anew; these were changed.
    case fetch(touched: Set<ObjectID>)
    /// To judge these records, and to say of the others that they were changed.
    case judge([GraphChange.Record], refreshed: [ManagedObject])
  }

  /// Decides what a change asks of the query.
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

  /// Whether a change may concern results that nothing is known of here: those before an offset, and what the stores
  /// have where unsaved changes do not count.
  private func concernsStoredState(_ change: GraphChange) -> Bool {
    func isConcerned(_ key: ObjectIdentifier) -> Bool {
      change.entities[key]?.records.contains { $0.kind != .updated } ?? false
    }
    return footprint.own.keys.contains(where: isConcerned)
      || footprint.related.keys.contains(where: isConcerned)
  }

  /// Judges changed objects, takes them to their places and notes what changed. Their rows are at hand.
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
