// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The groups of rows and their aggregates, while the rows come one after the other: none is kept.
///
/// ```swift
/// if groups.add(base) { first.append(row) }
/// let values = try evaluator.tuples(of: groups, first: first)
/// ```
package struct RowGroups {
  private let columns: [RowGrouping.Column]
  /// The slot that makes a group by itself.
  private let number: RowSlot?
  private let getters: [(UnsafeMutableRawPointer) -> Value]
  private var numbers = NumberTable()
  /// The group of the rows whose number is nil.
  private var null: Int?
  private var tuples: [[Value]: Int] = [:]
  /// How many groups there are.
  package private(set) var count = 0
  /// Whether every column is made of the sum or the number of what it takes.
  private let isSummed: Bool
  /// The sums of all groups, group after group, when that is all.
  private var sums: [NumberSum] = []
  /// Else the aggregates of all groups, group after group.
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

  /// Takes a row into account, given by the beginning of its memory.
  ///
  /// - Returns: Whether it is the first one of a group.
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

  /// Takes rows into account in their order, given by the beginnings of their memory: first the keys of all are read,
  /// then their values column by column, so that the processor waits for the memory of many rows at once.
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

  /// The number of the group of a row, or the number that it is given when it is a new one.
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
  /// The aggregates of a group.
  func aggregates(ofGroup group: Int) -> [Aggregate] {
    columns.indices.map { aggregate($0, ofGroup: group) }
  }

  /// The result of one aggregate of a group.
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
  /// Whether a ``NumberSum`` says everything of the result.
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
