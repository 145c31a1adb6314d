// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// Carries out a plan.
struct FetchRunner {
  let plan: FetchPlan
  let snapshot: any KeyValueSnapshot
  /// The cancellation handle of the request; nil when the request cannot be cancelled.
  let cancellation: RequestCancellation?
  private let source: SnapshotSource
  private let filter: RowFilter
  private let need: RowNeed
  /// The evaluator for the columns of a dictionary fetch.
  private let columns: ColumnEvaluator<SnapshotSource>?
  /// The groups to which rows are added as they are found; nil when the rows have to be sorted first.
  private let groups: RowGroups?

  init(
    plan: FetchPlan, schema: KeyValueSchema, snapshot: any KeyValueSnapshot,
    cancellation: RequestCancellation? = nil
  ) throws {
    self.cancellation = cancellation
    self.snapshot = snapshot
    source = SnapshotSource(schema: schema, snapshot: snapshot)
    filter = try RowFilter(
      codes: plan.judgesEntity ? plan.codes : nil, residual: plan.residual, source: source)
    var need = RowNeed(judged: filter.judged, kept: .all)
    if case .columns(let columns) = plan.request.result {
      need.kept = RowSlots(of: columns).union(RowSlots(of: plan.request.sort))
      let evaluator = try ColumnEvaluator(columns, source: source, readsReferences: true)
      self.columns = evaluator
      groups = plan.findsRowsInOrder ? evaluator.rowGroups() : nil
      if groups != nil { need.judged = need.judged.union(RowSlots(of: columns)) }
    } else {
      columns = nil
      groups = nil
    }
    if !plan.isOrdered, RowOrder(plan.request.sort) != nil {
      need.judged = need.judged.union(RowSlots(of: plan.request.sort))
    }
    self.need = need
    self.plan = plan
  }

  /// The answer.
  ///
  /// - Parameter collector: Takes the keys of a request for keys that come in order.
  func content(into collector: KeyCollector?) throws -> StoreFetchResult.Content {
    switch plan.request.result {
    case .rows: return .rows(try rows().window(plan.request))
    case .keys: return .keys(try keys(into: collector).window(plan.request))
    case .count: return .count(try count())
    case .columns(let columns): return try tuples(columns)
    }
  }

  private func count() throws -> Int {
    let all: Int
    if plan.isAnsweredByEntries {
      all = try entryCount()
    } else {
      var counter = RowCounter(limit: plan.rowLimit)
      if plan.rowLimit != 0 { try run(&counter) }
      all = counter.count
    }
    let rest = max(0, all - plan.request.offset)
    return plan.request.limit.map { min($0, rest) } ?? rest
  }

  private func keys(into collector: KeyCollector?) throws -> [Int64] {
    guard plan.rowLimit != 0 else { return [] }
    guard plan.isAnsweredByEntries || plan.isOrdered else {
      return try firstKeys() ?? rows().map(\.key)
    }
    // Keys that come in order are never held all at once, where a collector takes one after the other.
    let collector = plan.request.offset == 0 ? collector : nil
    collector?.removeAll()
    var list = KeyList(limit: plan.rowLimit, collector: collector)
    if plan.isAnsweredByEntries { try entryKeys(&list) } else { try run(&list) }
    return list.keys
  }

  /// The rows that match, in order, as far as they matter.
  private func rows() throws -> [Row] {
    guard plan.rowLimit != 0 else { return [] }
    let capacity = plan.residual == nil ? capacity : 0
    if plan.isOrdered {
      var list = RowList(limit: plan.rowLimit, capacity: capacity)
      try run(&list)
      return list.rows
    }
    if let keys = try firstKeys() { return try rows(forKeys: keys) }
    if let order = RowOrder(plan.request.sort) {
      var first = FirstRows(order: order, limit: plan.rowLimit, capacity: capacity)
      try run(&first)
      return first.sorted()
    }
    var list = RowList(limit: nil, capacity: capacity)
    try run(&list)
    let sorted = try SortEvaluator(plan.request.sort, source: source).sorted(list.rows)
    return plan.rowLimit.map { Array(sorted.prefix($0)) } ?? sorted
  }

  /// Returns the keys of the first rows, when one number per row determines the order; otherwise nil.
  private func firstKeys() throws -> [Int64]? {
    guard !plan.isOrdered, let order = RowOrder(plan.request.sort),
      var first = FirstKeys(order: order, limit: plan.rowLimit)
    else { return nil }
    try run(&first)
    return first.keys()
  }

  private func rows(forKeys keys: [Int64]) throws -> [Row] {
    var list = RowList(limit: nil, capacity: keys.count)
    try keys.withUnsafeBufferPointer { keys in
      try snapshot.withRows(forKeys: keys, need: RowNeed(kept: need.kept)) { chunk, _ in
        try cancellation.check()
        for index in 0..<chunk.count { _ = try list.take(index, of: chunk) }
        return true
      }
    }
    return list.rows
  }

  private func tuples(_ columns: ResolvedColumns) throws -> StoreFetchResult.Content {
    guard let evaluator = self.columns else { preconditionFailure("columns have an evaluator") }
    let isWindowed = plan.rowLimit != nil || (!columns.isAggregated && !columns.distinct)
    let values: [Value]
    if let groups {
      var collector = GroupCollector(groups: groups)
      try run(&collector)
      values = try evaluator.tuples(of: collector.groups, first: collector.first)
    } else {
      values = try evaluator.tuples(isWindowed ? rows().window(plan.request) : rows())
    }
    let width = columns.columns.count
    guard !isWindowed, width > 0 else { return .tuples(values, columns: width) }
    let tuples = Array(0..<values.count / width).window(plan.request)
    guard let first = tuples.first, let last = tuples.last else {
      return .tuples([], columns: width)
    }
    return .tuples(Array(values[first * width..<(last + 1) * width]), columns: width)
  }

  /// The initial capacity for rows.
  private var capacity: Int {
    let most = min(plan.rowLimit ?? .max, plan.candidates ?? Self.mostGathered)
    if case .keys(let keys) = plan.access { return min(most, keys.count) }
    return most
  }
}

// MARK: - Rows

extension FetchRunner {
  /// Passes each matching row to a collector, until the collector is full.
  private func run<Collector: RowCollector>(_ collector: inout Collector) throws {
    switch plan.access {
    case .scan:
      for code in plan.codes {
        var wantsMore = true
        try snapshot.scanRecords(ofEntityCode: code, need: need) { chunk in
          try cancellation.check()
          wantsMore = try filter.pass(chunk, to: &collector)
          return wantsMore
        }
        guard wantsMore else { return }
      }
    case .keys(let keys):
      _ = try look(up: keys, &collector)
    case .union(let members):
      _ = try look(up: unionKeys(members), &collector)
    case .index(let access, let direction):
      if let direction, access.needsGroups(direction) {
        try IndexGroups(access: access, direction: direction, sort: plan.request.sort)
          .forEach(in: snapshot) { try look(up: $0, &collector) }
      } else {
        try runUngrouped(access, &collector)
      }
    }
  }

  private func runUngrouped<Collector: RowCollector>(
    _ access: IndexAccess, _ collector: inout Collector
  ) throws {
    guard plan.isOrdered else { return try runUnordered(access, &collector) }
    for range in access.ranges {
      var wantsMore = true
      try snapshot.scanKeys(of: access.index.table, in: range, descending: false) { keys in
        wantsMore = try look(up: keys, &collector)
        return wantsMore
      }
      guard wantsMore else { return }
    }
  }

  /// Without a requested order, records are looked up in key order, because neighbours are stored together.
  private func runUnordered<Collector: RowCollector>(
    _ access: IndexAccess, _ collector: inout Collector
  ) throws {
    var gathered: [Int64] = []
    // The groups of a dictionary fetch take rows in key order, and a request without a limit loses nothing when it
    // looks up many at once.
    var room = collector.wanted < .max ? Self.leastGathered : Self.mostGathered
    if groups != nil { room = .max }
    var wantsMore = true
    func lookUpGathered() throws {
      gathered.sortKeys()
      wantsMore = try look(up: gathered, &collector)
      gathered.removeAll(keepingCapacity: true)
      room = min(room, Self.mostGathered / 8) * 8
    }
    for range in access.ranges where wantsMore {
      try snapshot.scanKeys(of: access.index.table, in: range, descending: false) { keys in
        try cancellation.check()
        gathered += keys
        if gathered.count >= room { try lookUpGathered() }
        return wantsMore
      }
    }
    if wantsMore, !gathered.isEmpty { try lookUpGathered() }
  }

  /// The number of keys that are sorted at a time: few at first, because few rows may be needed.
  private static let leastGathered = 512
  private static let mostGathered = 32_768

  private func look<Collector: RowCollector>(
    up keys: [Int64], _ collector: inout Collector
  ) throws -> Bool {
    try keys.withUnsafeBufferPointer { try look(up: $0, &collector) }
  }

  private func look<Collector: RowCollector>(
    up keys: UnsafeBufferPointer<Int64>, _ collector: inout Collector
  ) throws -> Bool {
    guard filter.passesAll, collector.wanted < keys.count else {
      return try lookUpAll(keys, &collector)
    }
    // Every existing row matches, so no more are read than are needed.
    var rest = keys[...]
    while !rest.isEmpty {
      let next = rest.prefix(collector.wanted)
      guard try lookUpAll(UnsafeBufferPointer(rebasing: next), &collector) else { return false }
      rest = rest.dropFirst(next.count)
    }
    return true
  }

  private func lookUpAll<Collector: RowCollector>(
    _ keys: UnsafeBufferPointer<Int64>, _ collector: inout Collector
  ) throws -> Bool {
    var wantsMore = true
    try snapshot.withRows(forKeys: keys, need: need) { chunk, _ in
      try cancellation.check()
      wantsMore = try filter.pass(chunk, to: &collector)
      return wantsMore
    }
    return wantsMore
  }
}

// MARK: - Entries

extension FetchRunner {
  /// The keys of the records that the members of a union find, in order, each once.
  private func unionKeys(_ members: [FetchPlan.Member]) throws -> [Int64] {
    var keys: [Int64] = []
    for member in members {
      switch member {
      case .keys(let some): keys += some
      case .words(let access): keys += try access.keys(in: snapshot, cancellation)
      case .index(let access):
        for range in access.ranges {
          try snapshot.scanKeys(of: access.index.table, in: range, descending: false) { some in
            try cancellation.check()
            keys += some
            return true
          }
        }
      }
    }
    keys.sort()
    var last: Int64?
    return keys.filter { key in
      defer { last = key }
      return key != last
    }
  }

  private func entryCount() throws -> Int {
    guard case .index(let access, _) = plan.access else {
      return try plan.codes.reduce(0) { try $0 + snapshot.recordCount(ofEntityCode: $1) }
    }
    guard plan.judgesEntity else { return try entryCount(access) }
    var count = 0
    for range in access.ranges {
      try snapshot.scanKeys(of: access.index.table, in: range, descending: false) { keys in
        try cancellation.check()
        for key in keys where filter.allows(key: key) { count += 1 }
        return true
      }
    }
    return count
  }

  private func entryCount(_ access: IndexAccess) throws -> Int {
    try access.ranges.reduce(0) {
      try $0 + snapshot.entryCount(of: access.index.table, in: $1)
    }
  }

  private func entryKeys(_ list: inout KeyList) throws {
    guard case .index(let access, let direction?) = plan.access else { return }
    if access.needsGroups(direction) {
      return try IndexGroups(access: access, direction: direction, sort: plan.request.sort)
        .forEach(in: snapshot) { list.take($0) }
    }
    for range in access.ranges where list.wantsMore {
      try snapshot.scanKeys(of: access.index.table, in: range, descending: false) { keys in
        try cancellation.check()
        return list.take(keys)
      }
    }
  }
}

extension Array {
  /// Returns the elements after the fetch offset, up to the fetch limit.
  fileprivate func window(_ request: ResolvedFetch) -> [Element] {
    guard request.offset > 0 || request.limit.map({ $0 < count }) ?? false else { return self }
    let rest = dropFirst(request.offset)
    return Array(request.limit.map { rest.prefix($0) } ?? rest)
  }
}
