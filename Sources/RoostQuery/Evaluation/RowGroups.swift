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
  private let empty: [Aggregate]
  private var numbers = NumberTable()
  /// The group of the rows whose number is nil.
  private var null: Int?
  private var tuples: [[Value]: Int] = [:]
  /// How many groups there are.
  package private(set) var count = 0
  /// The aggregates of all groups, group after group.
  private(set) var aggregates: [Aggregate] = []

  init(_ grouping: RowGrouping) {
    columns = grouping.columns
    empty = grouping.columns.map { Aggregate($0.function) }
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
    if isFirst {
      count += 1
      aggregates += empty
    }
    var place = group &* columns.count
    for column in columns {
      if let slot = column.number {
        aggregates[place].add(base, slot)
      } else if let value = column.value {
        aggregates[place].add(value(base))
      } else {
        aggregates[place].addOne()
      }
      place &+= 1
    }
    return isFirst
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
