// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

// Evaluation in memory, over the rows of all stores: conditions that cannot be split by store, and orders and columns
// that reach into other stores.
extension FetchAcross {
  func inMemory(_ parts: [Part]) throws -> CoordinatorFetchResult {
    let slots = slotsOfOrder(parts)
    // Rows that are all in the result are read whole at once.
    let ownSlots = needsFewRows && stores.allSatisfy(\.readsColumns) ? slots : nil
    if let result = try inMemory(parts, slots, ownSlots) { return result }
    return try inMemory(parts, slots, nil) ?? .none(of: fetch.result)
  }

  /// - Parameters:
  ///   - slots: The names of the slots that are needed in rows of other stores; nil for whole rows.
  ///   - ownSlots: The same for the rows of the entity.
  /// - Returns: Nil when a row of the result was changed before it was read whole.
  private func inMemory(
    _ parts: [Part], _ slots: Set<String>?, _ ownSlots: Set<String>?
  ) throws -> CoordinatorFetchResult? {
    let all = stores + list.stores.filter { other in !stores.contains { $0 === other } }
    let source = StoreRowSource(all, across: list, neededSlots: slots)
    var items: [StoreRow] = []
    for (index, store) in stores.enumerated() where fetch.limit != 0 {
      let most = AcrossLimits.mostRows - items.count
      var part = fetch.replacing(predicate: parts[index].condition)
      part.result = .rows
      (part.sort, part.offset, part.limit) = ([], 0, most + 1)
      let rows = try rows(of: store, part, ownSlots)
      guard rows.count <= most else { throw tooManyRows }
      source.expect(rows, fromStore: index)
      items += try matching(
        rows.map { StoreRow(row: $0, store: index) }, parts[index].remainder, source)
    }
    return try finish(items, source, all, areWhole: ownSlots == nil)
  }

  /// Whether the rows of the result are not needed, or only some of them.
  private var needsFewRows: Bool {
    if case .keys = fetch.result { return true }
    return fetch.limit != nil
  }

  /// Returns the names of the slots that the order needs; nil when more of the rows is needed.
  private func slotsOfOrder(_ parts: [Part]) -> Set<String>? {
    guard parts.allSatisfy({ $0.remainder == nil }) else { return nil }
    switch fetch.result {
    case .rows, .keys: break
    case .count, .columns: return nil
    }
    var names = Set<String>()
    for sort in fetch.sort {
      let path = sort.path
      guard sort.search == nil, case .object = path.root, !path.isToMany else { return nil }
      names.formUnion(path.relationships.map(\.name))
      guard case .attribute(_, let slot) = path.end else { continue }
      guard let entity = path.endGuard ?? path.entity(beforeStep: path.relationships.count) else {
        return nil
      }
      names.insert(entity.layout.names[slot.index])
    }
    return names
  }

  private var tooManyRows: PersistenceError {
    PersistenceError(
      .limitExceeded,
      "More than \(AcrossLimits.mostRows) rows would have to be held in memory, as their order or "
        + "a value computed from them depends on other stores: ask with a narrower condition.",
      entityName: fetch.entity.name)
  }

  private func rows(
    of store: AttachedStore, _ part: ResolvedFetch, _ neededSlots: Set<String>?
  ) throws -> [Row] {
    let answer = try StoreFetch(
      store: store, fillsRowCache: request.fillsRowCache, neededSlots: neededSlots
    ).run(part)
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
    _ items: [StoreRow], _ source: StoreRowSource, _ all: [AttachedStore], areWhole: Bool
  ) throws -> CoordinatorFetchResult? {
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
      if case .rows = fetch.result, !areWhole {
        return try wholeRows(of: wanted).map { rows in
          .rows(
            FetchedRows(
              rows: rows, stores: all, storeIndices: wanted.map { UInt32($0.store) }))
        }
      }
      let rows = FetchedRows(
        rows: wanted.map(\.row), stores: all, storeIndices: wanted.map { UInt32($0.store) })
      if case .rows = fetch.result { return .rows(rows) }
      return .ids((0..<rows.count).map { rows.objectID(at: $0) })
    }
  }
}

extension FetchAcross {
  /// Reads the rows of the result; nil when one of them was changed since it was sorted.
  private func wholeRows(of items: [StoreRow]) throws -> [Row]? {
    var found: [StoreRow.Identity: Row] = [:]
    for (index, store) in stores.enumerated() {
      let keys = items.lazy.filter { $0.store == index }.map(\.row.key).sorted()
      guard !keys.isEmpty else { continue }
      func read() throws -> [Row] { try store.storedRows(forKeys: keys) }
      let rows =
        try request.fillsRowCache ? store.cache.keepingRows { (try read(), ()) }.rows : read()
      for row in rows { found[StoreRow.Identity(key: row.key, store: index)] = row }
    }
    let rows = items.compactMap { item in
      found[StoreRow.Identity(key: item.row.key, store: item.store)]
        .flatMap { $0.version == item.row.version ? $0 : nil }
    }
    return rows.count == items.count ? rows : nil
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
