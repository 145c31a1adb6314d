// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// A request with a condition, an order or columns that follow a relationship into another store.
///
/// A store sees its own records only. So a condition is split where it leaves the store: the part beyond is evaluated
/// first in the other stores, returns IDs, and becomes a condition on the record's own reference column
/// (``HopPlanner``). Conditions that cannot be split, and orders and columns that reach into other stores, are
/// evaluated in memory over rows of all stores, in batches.
struct FetchAcross {
  let request: CoordinatorFetch
  /// The stores that have the entity.
  let stores: [AttachedStore]
  /// All stores of the snapshot that is read, or of the coordinator.
  let list: StoreList
  let coordinator: PersistentStoreCoordinator
  let generation: StoreGeneration?
  private let references = KnownReferences()
  let answers: HopAnswers

  var fetch: ResolvedFetch { request.fetch }

  /// Makes the fetch for a request that may need other stores, or that names records of other stores; nil for any
  /// other request.
  ///
  /// - Complexity: O(1) for a model without such relationships.
  init?(
    _ request: CoordinatorFetch, of stores: [AttachedStore],
    in coordinator: PersistentStoreCoordinator, at generation: StoreGeneration?
  ) {
    guard coordinator.managedObjectModel.hasRelationshipsAcrossStores, !stores.isEmpty else {
      return nil
    }
    let list = coordinator.stores(in: generation)
    var isConcerned = false
    request.fetch.forEachPath { path in
      isConcerned = isConcerned || path.relationships.contains(where: \.leadsAcrossStores)
    }
    guard isConcerned else { return nil }
    self.request = request
    self.stores = stores
    self.list = list
    self.coordinator = coordinator
    self.generation = generation
    // Without snapshots, all stores ask the same hops in the same order.
    answers = HopAnswers(isKept: generation == nil && stores.count > 1)
  }

  /// Whether all reads of a store see one snapshot.
  func isOfOneMoment(_ store: AttachedStore) -> Bool { generation?.holds(store) ?? false }

  /// Returns the answer.
  func run() throws -> CoordinatorFetchResult {
    try checkHops()
    if !request.allowsInMemoryEvaluation {
      // Checked before any store is asked.
      let parts = try stores.map { try part(of: $0, asks: false) }
      if try needsMemory(parts) { throw refusal(parts) }
    }
    let parts = try stores.map { try part(of: $0, asks: true) }
    guard try needsMemory(parts) else {
      for (store, part) in zip(stores, parts) {
        var own = request
        own.fetch = fetch.replacing(predicate: part.condition)
        try coordinator.checkPolicy(of: own, for: [store])
      }
      if stores.count == 1 {
        let answer = try StoreFetch(store: stores[0], fillsRowCache: request.fillsRowCache)
          .run(fetch.replacing(predicate: parts[0].condition))
        return try CoordinatorFetchResult(answer, from: stores[0])
      }
      return try UnionFetch(
        stores: stores, fetch: fetch, fillsRowCache: request.fillsRowCache,
        conditions: parts.map(\.condition)
      ).run()
    }
    guard request.allowsInMemoryEvaluation else { throw refusal(parts) }
    return try inMemory(parts)
  }

  /// Returns the plan of each store, without running it.
  func plans() throws -> [QueryPlan] {
    try checkHops()
    return try stores.map { store in
      let part = try part(of: store, asks: false)
      var fetch = fetch.replacing(predicate: part.condition)
      if try needsMemory([part]) {
        fetch.result = .rows
        (fetch.sort, fetch.offset, fetch.limit) = ([], 0, nil)
      }
      var plan = try store.plan(for: fetch)
      plan.steps = part.hops + plan.steps
      plan.inMemory += memoryRemarks(part)
      return plan
    }
  }

  // MARK: - The parts

  /// The request for one store: the condition that it evaluates, and the residual predicate.
  struct Part {
    var condition: ResolvedPredicate?
    var remainder: ResolvedPredicate?
    var hops: [String] = []
  }

  /// - Parameter asks: Whether to ask the other stores; otherwise the condition only gets its final form.
  private func part(of store: AttachedStore, asks: Bool) throws -> Part {
    var part = Part()
    guard let predicate = fetch.predicate else { return part }
    var planner = HopPlanner(across: self, store: store, asks: asks)
    let conjuncts = predicate.conjuncts
    // Conjuncts that the store evaluates alone come first: they determine how many records a hop concerns.
    var conditions = try conjuncts.enumerated().map { index, conjunct in
      try leaves(conjunct) ? nil : planner.local(conjunct, number: index)
    }
    planner.narrowing = conditions.compactMap(\.self).conjunction
    for (index, conjunct) in conjuncts.enumerated() where conditions[index] == nil {
      conditions[index] = try planner.local(conjunct, number: index)
    }
    part.condition = conditions.compactMap(\.self).conjunction
    part.remainder = zip(conjuncts, conditions).filter { $1 == nil }.map(\.0).conjunction
    part.hops = planner.hops
    return part
  }

  private func leaves(_ predicate: ResolvedPredicate) -> Bool {
    var leaves = false
    predicate.forEachPath { path in leaves = leaves || firstHop(of: path) != nil }
    return leaves
  }

  /// Returns descriptions of the hops.
  func plannedHops() throws -> [String] {
    try stores.flatMap { try part(of: $0, asks: false).hops }
  }

  /// - Throws: `limitExceeded` for a condition with too many hops into other stores.
  private func checkHops() throws {
    var steps = Set<[ObjectIdentifier]>()
    fetch.predicate?.forEachPath { path in
      for index in path.relationships.indices where mayLeave(by: path.relationships[index]) {
        steps.insert(path.relationships[...index].map(ObjectIdentifier.init))
      }
    }
    guard steps.count > AcrossLimits.mostHops else { return }
    throw PersistenceError(
      .limitExceeded,
      "The condition leads into other stores in \(steps.count) steps, and \(AcrossLimits.mostHops) can be "
        + "followed: fetch the objects of some of them first, and name these in the condition.",
      entityName: fetch.entity.name)
  }

  private func needsMemory(_ parts: [Part]) throws -> Bool {
    let answer = reachBeyondStores(parts)
    if let failure = references.failure { throw failure }
    return answer
  }

  private func reachBeyondStores(_ parts: [Part]) -> Bool {
    if parts.contains(where: { $0.remainder != nil }) { return true }
    if fetch.sort.contains(where: { firstHop(of: $0.path) != nil }) { return true }
    guard case .columns(let columns) = fetch.result else { return false }
    var isElsewhere = false
    columns.forEachPath { path in isElsewhere = isElsewhere || isSeenElsewhere(path) }
    return isElsewhere
  }

  /// Returns the index of the first relationship by which a path leaves its store; nil when it stays. A to-one
  /// relationship at the end of the path stays: its destination is named in the record's own reference column.
  func firstHop(of path: ResolvedPath) -> Int? {
    path.relationships.indices.first { index in
      let relationship = path.relationships[index]
      guard mayLeave(by: relationship) else { return false }
      guard case .object = path.end, index == path.relationships.count - 1 else { return true }
      return relationship.isToMany
    }
  }

  /// Whether a path leads to an object of another store, even if only to its ID.
  func isSeenElsewhere(_ path: ResolvedPath) -> Bool {
    path.relationships.contains { relationship in
      mayLeave(by: relationship)
        || relationship.leadsAcrossStores && references.areThere(in: stores)
    }
  }

  /// Whether a relationship can lead from a source to a destination in another store.
  private func mayLeave(by relationship: RelationshipDescription) -> Bool {
    guard relationship.leadsAcrossStores else { return false }
    let ends = list.stores.filter { $0.holdsAny(of: relationship.destinationEntity) }
    if ends.count > 1 { return true }
    guard let end = ends.first else { return false }
    return list.stores.contains { $0 !== end && $0.holdsAny(of: relationship.entity) }
  }

  private func memoryRemarks(_ part: Part) -> [String] {
    var remarks: [String] = []
    if part.remainder != nil { remarks.append("a condition over several stores") }
    if fetch.sort.contains(where: { firstHop(of: $0.path) != nil }) {
      remarks.append("an order by values of other stores")
    }
    if case .columns(let columns) = fetch.result {
      var isElsewhere = false
      columns.forEachPath { path in isElsewhere = isElsewhere || isSeenElsewhere(path) }
      if isElsewhere { remarks.append("columns of other stores") }
    }
    return remarks
  }

  private func refusal(_ parts: [Part]) -> PersistenceError {
    let remarks = Set(parts.flatMap(memoryRemarks)).sorted()
    return PersistenceError(
      .forbiddenByPolicy,
      "This would have to be done in memory: " + remarks.joined(separator: "; ") + ".",
      entityName: fetch.entity.name)
  }
}

/// Caches whether the stores of a request refer to records of others, which need not be attached; looked up once,
/// when first needed.
private final class KnownReferences {
  private var areThere: Bool?
  /// The error of a store that could not tell.
  private(set) var failure: (any Error)?

  func areThere(in stores: [AttachedStore]) -> Bool {
    if let areThere { return areThere }
    var found = false
    do {
      found = try stores.contains { try $0.refersToOthers() }
    } catch {
      failure = error
    }
    areThere = found
    return found
  }
}

extension ResolvedFetch {
  /// The same request with another condition.
  func replacing(predicate: ResolvedPredicate?) -> ResolvedFetch {
    var result = self
    result.predicate = predicate
    return result
  }
}

extension ResolvedPredicate {
  /// The top-level conjuncts of the predicate.
  fileprivate var conjuncts: [ResolvedPredicate] {
    guard case .and(let parts) = self else { return [self] }
    return parts.flatMap(\.conjuncts)
  }
}

extension [ResolvedPredicate] {
  /// The conjunction of the predicates; nil for none.
  var conjunction: ResolvedPredicate? {
    count > 1 ? .and(self) : first
  }
}
