// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Incremental groups of rows with their aggregates; rows are not kept.
///
/// ```swift
/// if groups.add(base) { first.append(row) }
/// let values = try evaluator.tuples(of: groups, first: first)
/// ```
package struct RowGroups {
  private let columns: [RowGrouping.Column]
  /// The slot of a single numeric grouping key.
  private let number: RowSlot?
  private let getters: [(UnsafeMutableRawPointer) -> Value]
  private var numbers = NumberTable()
  /// The group of the rows with a nil key.
  private var null: Int?
  private var tuples: [[Value]: Int] = [:]
  /// The number of groups.
  package private(set) var count = 0
  /// Whether every column is computed from a sum or a count.
  private let isSummed: Bool
  /// The sums of all groups, group by group, when these are enough.
  private var sums: [NumberSum] = []
  /// Otherwise the aggregates of all groups, group by group.
  private var aggregates: [Aggregate] = []
  /// The aggregates of a group without rows.
  private let empty: [Aggregate]

  init(_ grouping: RowGrouping) {
    columns = grouping.columns
    empty = grouping.columns.map { Aggregate($0.function) }
    isSummed = grouping.columns.allSatisfy(\.isSummed)
    getters = grouping.keys.map(\.getter)
    if grouping.keys.count == 1, case .number(let slot) = grouping.keys[0] {
      number = slot
    } else {
      number = nil
    }
  }

  /// Adds a row, given by its base address.
  ///
  /// - Returns: Whether it is the first row of a group.
  package mutating func add(_ base: UnsafeMutableRawPointer) -> Bool {
    let group = position(of: base)
    let isFirst = group == count
    if isFirst { addGroup() }
    var place = group &* columns.count
    for column in columns {
      if isSummed {
        sums[place].add(base, column)
      } else {
        aggregates[place].add(base, column)
      }
      place &+= 1
    }
    return isFirst
  }

  /// Adds rows in order, given by their base addresses: it reads first all keys, then the values column by column, so
  /// that cache misses of many rows overlap.
  ///
  /// - Parameter isFirst: Called with the index of each row that is the first one of a group.
  package mutating func add(
    _ bases: UnsafeBufferPointer<UnsafeMutableRawPointer>, isFirst: (Int) -> Void
  ) {
    guard isSummed else {
      for index in bases.indices where add(bases[index]) { isFirst(index) }
      return
    }
    withUnsafeTemporaryAllocation(of: Int.self, capacity: bases.count) { groups in
      for index in bases.indices {
        let group = position(of: bases[index])
        groups.initializeElement(at: index, to: group)
        guard group == count else { continue }
        addGroup()
        isFirst(index)
      }
      for number in columns.indices { addSums(of: number, bases, groups) }
    }
  }

  /// Adds one column's values of many rows.
  private mutating func addSums(
    of number: Int, _ bases: UnsafeBufferPointer<UnsafeMutableRawPointer>,
    _ groups: UnsafeMutableBufferPointer<Int>
  ) {
    let width = columns.count
    let slot = columns[number].number
    sums.withUnsafeMutableBufferPointer { sums in
      if let slot {
        for index in bases.indices {
          sums[groups[index] &* width &+ number].add(bases[index], slot)
        }
      } else {
        for group in groups { sums[group &* width &+ number].addOne() }
      }
    }
  }

  private mutating func addGroup() {
    count += 1
    if isSummed {
      for _ in columns { sums.append(NumberSum()) }
    } else {
      aggregates += empty
    }
  }

  /// Returns the index of a row's group, which may be a new one.
  @inline(__always)
  private mutating func position(of base: UnsafeMutableRawPointer) -> Int {
    if let number {
      guard !RowMemory.isNull(base, number) else {
        null = null ?? count
        return null ?? count
      }
      return numbers.position(of: RowMemory.load(base, number), next: count)
    }
    guard !getters.isEmpty else { return 0 }
    let tuple = getters.map { $0(base) }
    if let known = tuples[tuple] { return known }
    tuples[tuple] = count
    return count
  }
}

// MARK: - Results

extension RowGroups {
  /// Returns the aggregates of a group.
  func aggregates(ofGroup group: Int) -> [Aggregate] {
    columns.indices.map { aggregate($0, ofGroup: group) }
  }

  /// Returns the result of one aggregate of a group.
  ///
  /// - Throws: `arithmeticOverflow` when a sum does not fit its type.
  func result(_ column: Int, ofGroup group: Int) throws -> Value {
    try aggregate(column, ofGroup: group).result()
  }

  private func aggregate(_ column: Int, ofGroup group: Int) -> Aggregate {
    let place = group * columns.count + column
    guard isSummed else { return aggregates[place] }
    let isDouble = columns[column].number?.kind == .double
    return Aggregate(columns[column].function, sums[place], areDoubles: isDouble)
  }
}

extension RowGrouping.Column {
  /// Whether a ``NumberSum`` is enough for the result.
  fileprivate var isSummed: Bool {
    if value == nil { return true }
    switch function {
    case .sum, .average, .count: return number != nil
    default: return false
    }
  }
}

extension NumberSum {
  @inline(__always)
  fileprivate mutating func add(_ base: UnsafeMutableRawPointer, _ column: RowGrouping.Column) {
    if let slot = column.number { add(base, slot) } else { addOne() }
  }
}

extension Aggregate {
  fileprivate mutating func add(_ base: UnsafeMutableRawPointer, _ column: RowGrouping.Column) {
    if let slot = column.number {
      add(base, slot)
    } else if let value = column.value {
      add(value(base))
    } else {
      addOne()
    }
  }
}
