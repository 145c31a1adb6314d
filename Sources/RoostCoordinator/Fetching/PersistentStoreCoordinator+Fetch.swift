// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

// The steps of a fetch: choose the stores, ask each, evaluate residual predicates in memory, merge the answers.
extension PersistentStoreCoordinator {
  /// Returns the matches of a request in all stores that it concerns, with sort, offset and limit applied to the
  /// whole.
  ///
  /// Rows with equal sort values are ordered by their keys, then by the order of their stores.
  ///
  /// - Parameter generation: The snapshot to read; nil for the newest state.
  /// - Throws: `noStore` when no store holds the entity, `forbiddenByPolicy` when something would have to be
  ///   evaluated in memory against the policy, `storeRemoved`, or the error of a store.
  /// - Complexity: One round trip for each store; one more for each relationship step that a store leaves to be
  ///   followed in memory.
  package func fetch(
    _ request: CoordinatorFetch, in generation: StoreGeneration? = nil
  ) throws -> CoordinatorFetchResult {
    let list = self.stores(in: generation)
    let stores = try storesToAsk(for: request, of: list, in: generation)
    if generation == nil, let whole = ConsistentRead(for: request, of: stores, of: list, in: self) {
      return try whole.fetch(request)
    }
    if let across = FetchAcross(request, of: stores, in: self, at: generation) {
      return try SaveRecovery(coordinator: self).reading(list.stores, in: generation) {
        try across.run()
      }
    }
    try checkPolicy(of: request, for: stores)
    switch stores.count {
    case 0: return .none(of: request.fetch.result)
    case 1:
      let answer = try StoreFetch(store: stores[0], fillsRowCache: request.fillsRowCache)
        .run(request.fetch)
      return try CoordinatorFetchResult(answer, from: stores[0])
    default:
      let union = UnionFetch(
        stores: stores, fetch: request.fetch, fillsRowCache: request.fillsRowCache)
      return try SaveRecovery(coordinator: self).reading(stores, in: generation) { try union.run() }
    }
  }

  /// Returns the plan of each store for ``fetch(_:in:)``, without running it.
  ///
  /// - Throws: As ``fetch(_:in:)``.
  package func explain(_ request: CoordinatorFetch) throws -> [StorePlan] {
    let stores = try storesToAsk(for: request, of: route())
    let plans =
      try FetchAcross(request, of: stores, in: self, at: nil)?.plans()
      ?? stores.map { try $0.plan(for: request.fetch) }
    return zip(stores, plans).map { store, plan in
      var plan = plan
      if stores.count > 1 {
        plan.inMemory.append(UnionFetch.remark(for: request.fetch, storeCount: stores.count))
      }
      return StorePlan(store: store.identity, plan: plan)
    }
  }

  /// Returns the stores that a request concerns.
  ///
  /// - Parameter list: The stores of the generation.
  func storesToAsk(
    for request: CoordinatorFetch, of list: StoreList, in generation: StoreGeneration? = nil
  ) throws -> [AttachedStore] {
    if request.affectedStores == nil, list.stores.count == 1, let only = list.stores.first,
      only.holdsSome(of: request.fetch.entities)
    {
      return list.stores
    }
    if generation != nil,
      !list.stores.contains(where: { request.fetch.entities.contains(where: $0.holds) })
    {
      // The stores that hold the entity were added later: the snapshot has no records of it (B296).
      _ = try storesToAsk(for: request, of: route())
      return []
    }
    return try list.router.storesForFetch(
      of: request.fetch.entities, named: request.fetch.entity.name,
      affected: request.affectedStores
    ).map { list.stores[$0] }
  }

  func checkPolicy(of request: CoordinatorFetch, for stores: [AttachedStore]) throws {
    guard !request.allowsInMemoryEvaluation else { return }
    for store in stores {
      let leftovers = try store.plan(for: request.fetch).inMemory
      guard leftovers.isEmpty else {
        throw PersistenceError(
          .forbiddenByPolicy,
          "The store leaves this to be done in memory: " + leftovers.joined(separator: "; ") + ".",
          entityName: request.fetch.entity.name, store: store.displayName)
      }
    }
  }
}

extension AttachedStore {
  /// Returns the request limited to entities that this store holds.
  func narrowed(_ fetch: ResolvedFetch) -> ResolvedFetch {
    guard !holdsAll(of: fetch.entities) else { return fetch }
    var narrowed = fetch
    narrowed.entities = fetch.entities.filter { holds($0) }
    return narrowed
  }

  func plan(for fetch: ResolvedFetch) throws -> QueryPlan {
    try requesting { try $0.plan(for: narrowed(fetch)) }
  }
}

extension CoordinatorFetchResult {
  /// Returns the result of a request that concerns no store.
  static func none(of result: ResolvedFetch.Result) -> CoordinatorFetchResult {
    switch result {
    case .rows: .rows(.none)
    case .keys: .ids([])
    case .count: .count(0)
    case .columns(let columns): .tuples([], columns: columns.columns.count)
    }
  }

  /// Makes the result of a request that one store answered.
  init(_ content: StoreFetchResult.Content, from store: AttachedStore) throws {
    switch content {
    case .rows(let rows):
      self = .rows(FetchedRows(rows: rows, store: store))
    case .keys(let keys): self = .ids(try store.objectIDs(forKeys: keys))
    case .count(let count): self = .count(count)
    case .tuples(let values, let columns): self = .tuples(values, columns: columns)
    }
  }
}
