// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// A read-only view of a store at an earlier position of its history.
///
/// Current data are correct for every record and link that no later transaction changed; the history has the previous
/// values of the others. It is read to its end after each answer of the store, so it covers everything the answer may
/// contain, even with concurrent saves, and the two need not be read in one snapshot. No resources are held between
/// requests.
final class PastStore: PersistentStore {
  private let base: any PersistentStore
  /// The current store, for the IDs of its records.
  private let attached: AttachedStore
  private let log: PastLog

  init(of attached: AttachedStore, at position: StorePosition) {
    base = attached.store
    self.attached = attached
    log = PastLog(attached.schema, attached.historyNames, at: position)
  }

  private init(_ other: PastStore, base: any PersistentStore) {
    self.base = base
    attached = other.attached
    log = other.log
  }

  private var schema: StoreSchema { attached.schema }

  var identity: StoreIdentity { base.identity }
  var description: PersistentStoreDescription { base.description }
  var metadata: StoreMetadata { base.metadata }
  var isReadOnly: Bool { true }
  var snapshots: (any StoreSnapshots)? { nil }
  var changeMarks: (any StoreChangeMarks)? { nil }
  var history: (any StoreHistory)? { nil }
  /// The current foreign references: a number is never reused for another record.
  var foreignReferences: (any StoreForeignReferences)? { base.foreignReferences }

  func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {}

  /// Does nothing: the underlying store stays open.
  func close() {}

  func cancellable(by cancellation: RequestCancellation) -> any PersistentStore {
    PastStore(self, base: base.cancellable(by: cancellation))
  }

  func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> { throw Self.refusal }

  func lastSequence() throws -> Int64 { try base.lastSequence() }

  func commit(_ changes: StoreChangeSet) throws -> CommitOutcome { throw Self.refusal }

  private static var refusal: PersistenceError {
    PersistenceError(.readOnlyStore, "The past cannot be written.")
  }

  /// Reads the history up to now.
  ///
  /// - Throws: `persistentHistoryTokenExpired` when it does not go back to the position.
  func check() throws { _ = try log.past(from: base) }

  /// Returns whether the store had no records.
  ///
  /// - Throws: `persistentHistoryTokenExpired` when the history does not go back to the position.
  func isEmpty() throws -> Bool {
    try check()
    return try attached.requesting { _ in
      try schema.entities.allSatisfy { entity in
        let fetch = ResolvedFetch(entity: entity, entities: [entity], limit: 1, result: .keys)
        switch try self.fetch(fetch, in: FetchContext()).content {
        case .keys(let keys): return keys.isEmpty
        case .rows(let rows): return rows.isEmpty
        case .count, .tuples: return false
        }
      }
    }
  }

  // MARK: - Records

  func rows(forKeys keys: [Int64]) throws -> [Row] {
    let found = try base.rows(forKeys: keys)
    let past = try log.past(from: base)
    guard !past.isEmpty else { return found }
    var byKey: [Int64: Row] = [:]
    for row in found { byKey[row.key] = row }
    return Set(keys).compactMap { past.image(ofKey: $0, over: byKey[$0]) }
  }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    let found = try base.destinations(of: relationship, forSources: sources)
    let past = try log.past(from: base)
    guard !past.isEmpty else { return found }
    var members = PastMembers(found, of: sources)
    switch relationship.storage {
    case .links: members.replaceLinks(relationship, past)
    case .inverseOfToOne(let slot, let position):
      guard let inverse = relationship.maintainedInverse else { return found }
      func mayHaveMoved(_ key: Int64) -> Bool {
        past.mayHaveMoved(key, slot, position) && schema.entity(ofKey: key)?.has(inverse) ?? false
      }
      let images = try images(past, where: mayHaveMoved)
      members.replace(mayHaveMoved, by: images, slot, position)
    case .toOne, .transient: return found
    }
    return members.destinations(isOrdered: !found.positions.isEmpty || relationship.isOrdered)
  }

  /// Returns the past rows of the changed records.
  private func images(
    _ past: PastChanges, where isWanted: (Int64) -> Bool
  ) throws -> [Row] {
    let keys = past.records.keys.filter(isWanted)
    let unfinished = past.unfinishedKeys(where: isWanted).sorted()
    var byKey: [Int64: Row] = [:]
    var past = past
    if !unfinished.isEmpty {
      for row in try base.rows(forKeys: unfinished) { byKey[row.key] = row }
      // Changes committed before these rows were read must be known, too.
      past = try log.past(from: base)
    }
    return keys.compactMap { past.image(ofKey: $0, over: byKey[$0]) }
  }

  // MARK: - Requests

  func fetch(_ request: ResolvedFetch, in context: FetchContext) throws -> StoreFetchResult {
    let codes = Set(request.entities.compactMap { schema.code(of: $0) })
    func isOfRequest(_ key: Int64) -> Bool { codes.contains(RecordKey.entityCode(of: key)) }
    let looksElsewhere = request.looksAtOtherRecords
    func isUntouched(_ past: PastChanges) -> Bool {
      looksElsewhere ? past.isEmpty : past.isUntouched(where: isOfRequest)
    }
    let known = try log.past(from: base)
    if isUntouched(known) {
      let result = try base.fetch(request, in: FetchContext())
      if isUntouched(try log.past(from: base)) { return result }
    }
    // With a margin for records that are changed while the store answers.
    var expected = known.records.keys.count(where: isOfRequest) + 16
    while true {
      let part = request.part(looksElsewhere: looksElsewhere, besides: expected)
      let result = try base.fetch(part, in: FetchContext())
      let past = try log.past(from: base)
      let touched = past.records.keys.count(where: isOfRequest)
      if part.limit == nil || touched <= expected {
        return try merge(
          result, past, try images(past, where: isOfRequest), request,
          isJudged: !looksElsewhere && result.remainder == nil)
      }
      expected = touched * 2
    }
  }

  /// Replaces changed records among the store's rows by their past rows.
  ///
  /// - Parameter isJudged: Whether the store has already applied the condition to its rows.
  private func merge(
    _ result: StoreFetchResult, _ past: PastChanges, _ images: [Row], _ request: ResolvedFetch,
    isJudged: Bool
  ) throws -> StoreFetchResult {
    guard case .rows(var rows) = result.content else {
      throw PersistenceError(
        .persistentStoreOperation, "The store's answer is not of the kind that was asked for.",
        store: identity.identifier)
    }
    rows.removeAll { past.records[$0.key] != nil }
    let source = StoreRowSource([attached])
    var images = images.map { StoreRow(row: $0, store: 0) }
    guard isJudged else {
      let remainder = FetchRemainder(predicate: request.predicate, sort: true, window: true)
      return StoreFetchResult(
        content: .rows(rows + images.map(\.row)), remainder: remainder,
        plan: Self.plan(result.plan))
    }
    if let predicate = request.predicate {
      let evaluator = try PredicateEvaluator(predicate, source: source)
      images = try images.filter { try evaluator.matches($0) }
    }
    let sorter = try SortEvaluator(request.sort, source: source)
    let merged = try Self.insert(sorter.sorted(images), into: rows, sorter)
    return StoreFetchResult(
      content: .rows(merged),
      remainder: FetchRemainder(predicate: nil, sort: request.combinesRows, window: true),
      plan: Self.plan(result.plan))
  }

  /// Inserts sorted records into sorted rows by binary search.
  private static func insert(
    _ images: [StoreRow], into rows: [Row], _ sorter: SortEvaluator<StoreRowSource>
  ) throws -> [Row] {
    var result: [Row] = []
    result.reserveCapacity(rows.count + images.count)
    var start = 0
    for image in images {
      var (low, high) = (start, rows.count)
      while low < high {
        let middle = (low + high) / 2
        if try sorter.isOrderedBefore(StoreRow(row: rows[middle], store: 0), image) {
          low = middle + 1
        } else {
          high = middle
        }
      }
      result += rows[start..<low]
      result.append(image.row)
      start = low
    }
    return result + rows[start...]
  }

  func plan(for request: ResolvedFetch) throws -> QueryPlan {
    let plan = try base.plan(for: request)
    return try log.past(from: base).isEmpty ? plan : Self.plan(plan)
  }

  private static func plan(_ plan: QueryPlan) -> QueryPlan {
    var plan = plan
    plan.inMemory.append("records that were changed since the moment that is read")
    return plan
  }
}
