// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

// Evaluation in memory, over the rows of all stores: conditions that cannot be split by store, and orders and columns
// that reach into other stores.
extension FetchAcross {
  func inMemory(_ parts: [Part]) throws -> CoordinatorFetchResult {
    let all = stores + list.stores.filter { other in !stores.contains { $0 === other } }
    let source = StoreRowSource(all, across: list)
    var items: [StoreRow] = []
    for (index, store) in stores.enumerated() where fetch.limit != 0 {
      let most = AcrossLimits.mostRows - items.count
      var part = fetch.replacing(predicate: parts[index].condition)
      part.result = .rows
      (part.sort, part.offset, part.limit) = ([], 0, most + 1)
      let rows = try rows(of: store, part)
      guard rows.count <= most else { throw tooManyRows }
      source.expect(rows, fromStore: index)
      items += try matching(
        rows.map { StoreRow(row: $0, store: index) }, parts[index].remainder, source)
    }
    return try finish(items, source, all)
  }

  private var tooManyRows: PersistenceError {
    PersistenceError(
      .limitExceeded,
      "More than \(AcrossLimits.mostRows) rows would have to be held in memory, as their order or "
        + "a value computed from them depends on other stores: ask with a narrower condition.",
      entityName: fetch.entity.name)
  }

  private func rows(of store: AttachedStore, _ part: ResolvedFetch) throws -> [Row] {
    let answer = try StoreFetch(store: store, fillsRowCache: request.fillsRowCache).run(part)
    guard case .rows(let rows) = answer else { return [] }
    return rows
  }

  private func matching(
    _ items: [StoreRow], _ remainder: ResolvedPredicate?, _ source: StoreRowSource
  ) throws -> [StoreRow] {
    guard let remainder else { return items }
    let evaluator = try PredicateEvaluator(remainder, source: source)
    return try items.filter { try evaluator.matches($0) }
  }

  private func finish(
    _ items: [StoreRow], _ source: StoreRowSource, _ all: [AttachedStore]
  ) throws -> CoordinatorFetchResult {
    let projection = ItemProjection(fetch: fetch, source: source)
    switch fetch.result {
    case .count:
      return .count(items.window(offset: fetch.offset, limit: fetch.limit).count)
    case .columns:
      guard
        case .tuples(let values, let width) = try projection.finish(
          items, sorts: true, windows: true)
      else { return .none(of: fetch.result) }
      return .tuples(values, columns: width)
    case .rows, .keys:
      // The rows of one store already come in key order.
      let sorted = fetch.sort.isEmpty && stores.count == 1 ? items : try projection.sorted(items)
      let wanted = sorted.window(offset: fetch.offset, limit: fetch.limit)
      let rows = FetchedRows(
        rows: wanted.map(\.row), stores: all, storeIndices: wanted.map { UInt32($0.store) })
      if case .rows = fetch.result { return .rows(rows) }
      return .ids((0..<rows.count).map { rows.objectID(at: $0) })
    }
  }
}

extension EntityDescription {
  /// Returns the condition that an object is in a list of IDs.
  func isOne(of ids: [ObjectID]) -> ResolvedComparison {
    ResolvedComparison(
      left: .path(
        ResolvedPath(root: .object, relationships: [], end: .object, rootEntity: self)),
      comparison: .in, right: .list(ids.map { .objectID($0) }))
  }
}
