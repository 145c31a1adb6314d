// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore
import Synchronization

/// A minimal store: it scans and commits, and leaves everything else to the shared evaluator.
///
/// Tests read the requests that it received, and inject failures.
final class MinimalStore: PersistentStore {
  let identity: StoreIdentity
  let description: PersistentStoreDescription
  let medium: MinimalMedium
  let script = Mutex(Script())
  private let prepareFailure: PersistenceError?

  /// The injected behaviour and the recorded calls.
  struct Script {
    var schema: StoreSchema?
    var isClosed = false
    var fetches: [ResolvedFetch] = []
    var rowRequests: [[Int64]] = []
    var destinationRequests: [[Int64]] = []
    /// Returned by every request for destinations.
    var destinations: RelationshipDestinations?
    var reservations: [Int] = []
    /// Whether it tells the last number that it gave.
    var tellsSequences = true
    var commits: [StoreChangeSet] = []
    /// Thrown by the next request for keys.
    var reserveFailure: PersistenceError?
    /// Thrown by the next commit, before anything is written.
    var commitFailure: PersistenceError?
    /// Thrown by the next commit, after everything was written.
    var commitFailureAfterWriting: PersistenceError?
    /// Returned by the next commit.
    var commitConflicts: [StoreConflict] = []
    /// Returned with the next receipt.
    var recomputed: [Row] = []
    /// Runs in the middle of each fetch, after the rows were read.
    var duringFetch: (@Sendable () -> Void)?
    /// Runs in the middle of each request for rows, after they were read.
    var duringRows: (@Sendable () -> Void)?
  }

  init(
    medium: MinimalMedium, description: PersistentStoreDescription, type: String,
    prepareFailure: PersistenceError?
  ) {
    self.medium = medium
    self.description = description
    self.prepareFailure = prepareFailure
    identity = StoreIdentity(
      identifier: medium.content.withLock { $0.metadata.identifier }, type: type)
  }

  var metadata: StoreMetadata { medium.content.withLock { $0.metadata } }
  var isReadOnly: Bool { description.isReadOnly }
  var snapshots: (any StoreSnapshots)? { nil }
  var changeMarks: (any StoreChangeMarks)? { nil }
  var isClosed: Bool { script.withLock { $0.isClosed } }

  func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    if let prepareFailure { throw prepareFailure }
    for entity in schema.entities where !entity.uniquenessConstraints.isEmpty {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema, "The store cannot keep values unique.",
        entityName: entity.name)
    }
    script.withLock { $0.schema = schema }
    if !isReadOnly { medium.content.withLock { $0.metadata = metadata } }
  }

  private func checkOpen() throws {
    if isClosed { throw PersistenceError(.storeRemoved, "The store is closed.") }
  }

  // MARK: Reading

  func fetch(
    _ request: ResolvedFetch, in context: FetchContext
  ) throws -> StoreFetchResult {
    try checkOpen()
    description.log?.statement("scan \(request.entity.name ?? "")")
    let during = script.withLock { script in
      script.fetches.append(request)
      return script.duringFetch
    }
    let wanted = Set(request.entities)
    let rows = medium.content.withLock { content in
      content.rows.values.filter { wanted.contains($0.layout.entity) }.sorted { $0.key < $1.key }
    }
    during?()
    return StoreFetchResult(
      content: .rows(rows),
      remainder: FetchRemainder(predicate: request.predicate, sort: true, window: true),
      plan: try plan(for: request))
  }

  func plan(for request: ResolvedFetch) throws -> QueryPlan {
    var plan = QueryPlan(steps: ["scan \(request.entity.name ?? "")"])
    if request.predicate != nil { plan.inMemory.append("the condition") }
    if !request.sort.isEmpty { plan.inMemory.append("the order") }
    return plan
  }

  func rows(forKeys keys: [Int64]) throws -> [Row] {
    try checkOpen()
    let during = script.withLock { script in
      script.rowRequests.append(keys)
      return script.duringRows
    }
    // In reverse order: the contract promises none.
    let rows = medium.content.withLock { content in
      keys.reversed().compactMap { content.rows[$0] }
    }
    during?()
    return rows
  }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    try checkOpen()
    let scripted = script.withLock { script in
      script.destinationRequests.append(sources)
      return script.destinations
    }
    if let scripted { return scripted }
    let pairs = medium.content.withLock { content in
      switch relationship.storage {
      case .inverseOfToOne(let slot, let position): content.pairs(slot, position, relationship)
      case .links(let table, let isForward): content.pairs(table, isForward)
      case .toOne, .transient: [Int64: [Content.Pair]]()
      }
    }
    var result = RelationshipDestinations(offsets: [0], keys: [])
    for source in sources {
      let sorted = (pairs[source] ?? []).sorted {
        ($0.position ?? 0, $0.key) < ($1.position ?? 0, $1.key)
      }
      result.keys += sorted.map(\.key)
      if relationship.isOrdered { result.positions += sorted.map { $0.position ?? 0 } }
      result.offsets.append(result.keys.count)
    }
    return result
  }

  typealias Content = MinimalMedium.Content

  // MARK: Writing

  func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    try checkOpen()
    let failure = script.withLock { script in
      defer { script.reserveFailure = nil }
      script.reservations.append(count)
      return script.reserveFailure
    }
    if let failure { throw failure }
    return medium.content.withLock { content in
      let first = content.lastSequence + 1
      content.lastSequence += Int64(count)
      return first...content.lastSequence
    }
  }

  func lastSequence() throws -> Int64 {
    try checkOpen()
    guard script.withLock({ $0.tellsSequences }) else { return 0 }
    return medium.content.withLock { $0.lastSequence }
  }

  func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    try checkOpen()
    let orders = script.withLock { script in
      defer {
        script.commitFailure = nil
        script.commitFailureAfterWriting = nil
        script.commitConflicts = []
        script.recomputed = []
      }
      script.commits.append(changes)
      return script
    }
    if let failure = orders.commitFailure { throw failure }
    if !orders.commitConflicts.isEmpty { return .conflicted(orders.commitConflicts) }
    let conflicts = medium.content.withLock { content in
      let conflicts = content.conflicts(of: changes)
      if conflicts.isEmpty { content.apply(changes) }
      return conflicts
    }
    guard conflicts.isEmpty else { return .conflicted(conflicts) }
    if let failure = orders.commitFailureAfterWriting { throw failure }
    return .committed(CommitReceipt(recomputed: orders.recomputed))
  }

  func close() {
    script.withLock { $0.isClosed = true }
  }
}
