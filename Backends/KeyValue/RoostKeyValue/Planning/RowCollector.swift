// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// A sink for the matching rows of a fetch.
protocol RowCollector {
  /// The most rows that it still accepts.
  var wanted: Int { get }

  /// Takes a row of a chunk.
  ///
  /// - Returns: Whether it accepts more.
  mutating func take(_ index: Int, of chunk: RowChunk) throws -> Bool

  /// Takes all rows of a chunk that are there.
  ///
  /// - Returns: Whether it accepts more.
  mutating func takeAll(of chunk: RowChunk) throws -> Bool
}

extension RowCollector {
  var wanted: Int { .max }

  mutating func takeAll(of chunk: RowChunk) throws -> Bool {
    for index in 0..<chunk.count where chunk.isPresent(index) {
      guard try take(index, of: chunk) else { return false }
    }
    return true
  }
}

/// Counts rows, up to a limit.
struct RowCounter: RowCollector {
  let limit: Int
  private(set) var count = 0

  init(limit: Int?) {
    self.limit = limit ?? .max
  }

  var wanted: Int { limit - count }

  mutating func take(_ index: Int, of chunk: RowChunk) throws -> Bool {
    count += 1
    return count < limit
  }
}

/// Keeps rows as they come, up to a limit.
struct RowList: RowCollector {
  let limit: Int
  private(set) var rows: [Row] = []

  init(limit: Int?, capacity: Int) {
    self.limit = limit ?? .max
    rows.reserveCapacity(min(self.limit, capacity))
  }

  var wanted: Int { limit - rows.count }

  mutating func take(_ index: Int, of chunk: RowChunk) throws -> Bool {
    if let row = try chunk[index] { rows.append(consume row) }
    return rows.count < limit
  }
}

/// Keeps the keys of rows as they come, up to a limit.
struct KeyList: RowCollector {
  let limit: Int
  private let collector: KeyCollector?
  /// The collected keys; empty when they go to a collector.
  private(set) var keys: [Int64] = []
  private var count = 0

  /// - Parameter collector: Receives the keys one by one.
  init(limit: Int?, collector: KeyCollector? = nil) {
    self.limit = limit ?? .max
    self.collector = collector
  }

  mutating func take(_ index: Int, of chunk: RowChunk) throws -> Bool {
    take(CollectionOfOne(chunk.key(index)))
  }

  /// Takes keys from an index, up to the limit; returns whether more are needed.
  mutating func take(_ some: some Collection<Int64>) -> Bool {
    let wanted = some.prefix(limit - count)
    count += wanted.count
    if let collector {
      for key in wanted { collector.append(key) }
    } else {
      keys.append(contentsOf: wanted)
    }
    return wantsMore
  }

  var wantsMore: Bool { count < limit }

  var wanted: Int { limit - count }
}

/// Adds rows to groups, and keeps the first one of each.
struct GroupCollector: RowCollector {
  private(set) var groups: RowGroups
  private(set) var first: [Row] = []

  init(groups: RowGroups) {
    self.groups = groups
  }

  mutating func take(_ index: Int, of chunk: RowChunk) throws -> Bool {
    guard let base = chunk.base(index), groups.add(base) else { return true }
    if let row = try chunk[index] { first.append(row) }
    return true
  }

  mutating func takeAll(of chunk: RowChunk) throws -> Bool {
    try withUnsafeTemporaryAllocation(
      of: UnsafeMutableRawPointer.self, capacity: chunk.count
    ) { bases in
      try withUnsafeTemporaryAllocation(of: Int.self, capacity: chunk.count) { indices in
        var count = 0
        for index in 0..<chunk.count {
          guard let base = chunk.base(index) else { continue }
          bases.initializeElement(at: count, to: base)
          indices.initializeElement(at: count, to: index)
          count += 1
        }
        var isFirst: [Int] = []
        groups.add(UnsafeBufferPointer(rebasing: bases[..<count])) { isFirst.append(indices[$0]) }
        for index in isFirst {
          if let row = try chunk[index] { first.append(row) }
        }
      }
    }
    return true
  }
}

/// Keeps the first rows of an order, up to a limit.
///
/// Most rows are rejected by one comparison of numbers. The others are gathered until there are twice as many as
/// needed; then the later half is dropped.
struct FirstRows: RowCollector {
  private let order: RowOrder
  private let limit: Int
  private let room: Int
  private var rows: [Row] = []
  private var heads: [Head] = []
  /// Rows with a larger head come after all rows that are needed.
  private var largestHead = UInt64.max

  private struct Head {
    var number: UInt64
    var row: Int
  }

  init(order: RowOrder, limit: Int?, capacity: Int) {
    self.order = order
    self.limit = limit ?? .max
    room = self.limit > Int.max / 2 ? .max : max(64, self.limit * 2)
    rows.reserveCapacity(min(room, capacity))
    heads.reserveCapacity(min(room, capacity))
  }

  mutating func take(_ index: Int, of chunk: RowChunk) throws -> Bool {
    guard let base = chunk.base(index) else { return true }
    let head = order.head(base, key: chunk.key(index))
    guard head <= largestHead, let row = try chunk[index] else { return true }
    heads.append(Head(number: head, row: rows.count))
    rows.append(row)
    if rows.count == room { dropLater() }
    return true
  }

  private mutating func dropLater() {
    let first = sorted()
    heads = first.indices.map {
      Head(number: order.head(first[$0].base, key: first[$0].key), row: $0)
    }
    rows = first
    rows.reserveCapacity(room)
    heads.reserveCapacity(room)
    if let last = heads.last { largestHead = last.number }
  }

  /// The rows in order.
  func sorted() -> [Row] {
    guard limit > 0 else { return [] }
    let heads = heads.sorted { left, right in
      if left.number != right.number { return left.number < right.number }
      return order.compare(rows[left.row], rows[right.row]) < 0
    }
    return heads.prefix(limit).map { rows[$0.row] }
  }
}
