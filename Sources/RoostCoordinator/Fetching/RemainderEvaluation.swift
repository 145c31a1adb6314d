// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// Evaluates in memory the residual predicate, sort and window of a store's answer, with the shared evaluator.
struct RemainderEvaluation {
  let store: AttachedStore
  let fetch: ResolvedFetch
  let remainder: FetchRemainder

  /// Returns the complete answer to the request.
  func finish(_ rows: [Row]) throws -> StoreFetchResult.Content {
    let source = StoreRowSource([store])
    source.expect(rows, fromStore: 0)
    var items = rows.map { StoreRow(row: $0, store: 0) }
    if let predicate = remainder.predicate {
      let evaluator = try PredicateEvaluator(predicate, source: source)
      items = try items.filter { try evaluator.matches($0) }
    }
    return try ItemProjection(fetch: fetch, source: source).finish(
      items, sorts: remainder.sort, windows: remainder.window)
  }
}

/// Turns matching rows into the requested result: rows, keys, a count or columns.
struct ItemProjection {
  let fetch: ResolvedFetch
  let source: StoreRowSource

  /// Applies those of sort, count, projection and window that were not applied yet.
  func finish(
    _ items: [StoreRow], sorts: Bool, windows: Bool
  ) throws -> StoreFetchResult.Content {
    if case .columns(let columns) = fetch.result {
      return try tuples(items, columns, sorts: sorts, windows: windows)
    }
    if case .count = fetch.result {
      return .count(
        windows ? items.window(offset: fetch.offset, limit: fetch.limit).count : items.count)
    }
    var items = try sorts ? sorted(items) : items
    if windows { items = items.window(offset: fetch.offset, limit: fetch.limit) }
    if case .keys = fetch.result { return .keys(items.map(\.row.key)) }
    return .rows(items.map(\.row))
  }

  func sorted(_ items: [StoreRow]) throws -> [StoreRow] {
    try SortEvaluator(fetch.sort, source: source).sorted(items)
  }

  private func tuples(
    _ items: [StoreRow], _ columns: ResolvedColumns, sorts: Bool, windows: Bool
  ) throws -> StoreFetchResult.Content {
    // Offset and limit apply to groups and distinct tuples after they are formed.
    let combinesRows = columns.isAggregated || columns.distinct
    var items = try sorts ? sorted(items) : items
    if windows && !combinesRows { items = items.window(offset: fetch.offset, limit: fetch.limit) }
    let values = try ColumnEvaluator(columns, source: source).tuples(items)
    let width = columns.columns.count
    guard windows && combinesRows && width > 0 else { return .tuples(values, columns: width) }
    let tupleCount = values.count / width
    let first = min(fetch.offset, tupleCount)
    let last = fetch.limit.map { min(tupleCount, first.addingSaturated($0)) } ?? tupleCount
    return .tuples(Array(values[first * width..<last * width]), columns: width)
  }
}
