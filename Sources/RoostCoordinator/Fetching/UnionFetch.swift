// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// A fetch over several stores: each is asked only for rows that can be in the result, and the answers are merged.
struct UnionFetch {
  let stores: [AttachedStore]
  let fetch: ResolvedFetch
  let fillsRowCache: Bool
  /// The condition for each store, where it differs by store; nil where it does not.
  var conditions: [ResolvedPredicate?]?

  /// Returns the answer.
  func run() throws -> CoordinatorFetchResult {
    switch fetch.result {
    case .rows: return try .rows(mergedRows())
    case .keys: return try .ids(mergedIDs())
    case .count: return try .count(summedCount())
    case .columns(let columns): return try mergedColumns(columns)
    }
  }

  /// Returns the remark about the merge for `explain`.
  static func remark(for fetch: ResolvedFetch, storeCount: Int) -> String {
    if case .columns(let columns) = fetch.result {
      return AggregateMerge(columns, sort: fetch.sort) == nil
        ? "columns of the rows of \(storeCount) stores"
        : "groups of \(storeCount) stores are merged"
    }
    return "results of \(storeCount) stores are merged"
  }

  /// Returns the request for one store: only its results up to the end of the window can be in the merged window.
  private func part(_ result: ResolvedFetch.Result) -> ResolvedFetch {
    var part = fetch
    part.result = result
    part.offset = 0
    part.limit = fetch.limit.map { $0.addingSaturated(fetch.offset) }
    return part
  }

  private func ask(_ store: AttachedStore, _ part: ResolvedFetch) throws -> StoreFetchResult.Content
  {
    var part = part
    if let conditions, let index = stores.firstIndex(where: { $0 === store }) {
      part.predicate = conditions[index]
    }
    return try StoreFetch(store: store, fillsRowCache: fillsRowCache).run(part)
  }

  private func rows(of store: AttachedStore, _ part: ResolvedFetch) throws -> [Row] {
    guard case .rows(let rows) = try ask(store, part) else { return [] }
    return rows
  }

  // MARK: Rows and keys

  private func merged(_ source: StoreRowSource) throws -> [FetchMerge<StoreRow>.Merged] {
    let part = part(.rows)
    var lists: [[StoreRow]] = []
    for (index, store) in stores.enumerated() {
      let rows = try rows(of: store, part)
      source.expect(rows, fromStore: index)
      lists.append(rows.map { StoreRow(row: $0, store: index) })
    }
    let sorter = try SortEvaluator(fetch.sort, source: source)
    return try FetchMerge(lists, offset: fetch.offset, limit: fetch.limit)
      .merged { try sorter.isOrderedBefore($0, $1) }
  }

  private func mergedRows() throws -> FetchedRows {
    let merged = try merged(StoreRowSource(stores))
    return FetchedRows(
      rows: merged.map(\.element.row), stores: stores,
      storeIndices: merged.map { UInt32($0.element.store) })
  }

  private func mergedIDs() throws -> [ObjectID] {
    guard fetch.sort.isEmpty else {
      let rows = try mergedRows()
      return rows.rows.indices.map { rows.objectID(at: $0) }
    }
    let part = part(.keys)
    let lists = try stores.map { store -> [Int64] in
      guard case .keys(let keys) = try ask(store, part) else { return [] }
      return keys
    }
    return try FetchMerge(lists, offset: fetch.offset, limit: fetch.limit).merged(by: <).map {
      merged in
      guard let id = stores[merged.list].objectID(forKey: merged.element) else {
        throw stores[merged.list].unknownKeyError
      }
      return id
    }
  }

  private func summedCount() throws -> Int {
    var part = part(.count)
    part.sort = []
    var total = 0
    for store in stores {
      if case .count(let count) = try ask(store, part) { total = total.addingSaturated(count) }
    }
    let rest = max(0, total - fetch.offset)
    return fetch.limit.map { min($0, rest) } ?? rest
  }

  // MARK: Columns

  private func mergedColumns(_ columns: ResolvedColumns) throws -> CoordinatorFetchResult {
    if let merge = AggregateMerge(columns, sort: fetch.sort) {
      do {
        return .tuples(try mergedGroups(merge), columns: columns.columns.count)
      } catch let error as PersistenceError where error.code == .arithmeticOverflow {
        // The sum behind an average can overflow its type where the average does not.
      }
    }
    let source = StoreRowSource(stores)
    let projection = ItemProjection(fetch: fetch, source: source)
    let content: StoreFetchResult.Content
    if columns.isAggregated || columns.distinct {
      content = try projection.finish(allRows(source), sorts: true, windows: true)
    } else {
      content = try projection.finish(
        merged(source).map(\.element), sorts: false, windows: false)
    }
    guard case .tuples(let values, let width) = content else { return .none(of: fetch.result) }
    return .tuples(values, columns: width)
  }

  private func mergedGroups(_ merge: AggregateMerge) throws -> [Value] {
    var part = fetch
    (part.offset, part.limit) = (0, nil)
    part.result = .columns(merge.partialColumns)
    var groups = merge.begin()
    for store in stores {
      if case .tuples(let values, _) = try ask(store, part) { try groups.add(values) }
    }
    return groups.finish(offset: fetch.offset, limit: fetch.limit)
  }

  private func allRows(_ source: StoreRowSource) throws -> [StoreRow] {
    var part = fetch
    part.result = .rows
    (part.offset, part.limit, part.sort) = (0, nil, [])
    var items: [StoreRow] = []
    for (index, store) in stores.enumerated() {
      let rows = try rows(of: store, part)
      source.expect(rows, fromStore: index)
      items += rows.map { StoreRow(row: $0, store: index) }
    }
    return items
  }
}
