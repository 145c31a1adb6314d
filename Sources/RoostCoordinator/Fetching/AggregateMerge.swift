// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// Merges the groups of several stores: each store aggregates its own rows, and the partial results are combined
/// here.
///
/// Counts, sums, minimums and maximums can be merged directly; an average is merged from a sum and a count. Anything
/// else, such as a median or a condition on groups, cannot be merged: the rows must be aggregated in memory.
struct AggregateMerge {
  private enum Part {
    /// A value that is the same in the whole group.
    case first(Int)
    case count(Int)
    case sum(Int)
    case minimum(Int)
    case maximum(Int)
    case average(sum: Int, count: Int)
  }

  /// The columns requested from each store: the group keys, then the partial aggregates.
  let partialColumns: ResolvedColumns
  private let keyCount: Int
  private let parts: [Part]

  /// Plans a merge; nil when the columns cannot be merged and need all rows.
  init?(_ columns: ResolvedColumns, sort: [ResolvedSort]) {
    guard columns.isAggregated, columns.having == nil, !columns.distinct, sort.isEmpty else {
      return nil
    }
    var asked: [ResolvedColumns.Column] = []
    for expression in columns.groupBy {
      guard let type = Self.type(of: expression) else { return nil }
      asked.append(
        ResolvedColumns.Column(
          name: "key\(asked.count)", expression: expression, isAggregate: false, type: type))
    }
    keyCount = asked.count
    var parts: [Part] = []
    for column in columns.columns {
      guard let part = Self.part(for: column, asked: &asked) else { return nil }
      parts.append(part)
    }
    self.parts = parts
    partialColumns = ResolvedColumns(columns: asked, groupBy: columns.groupBy)
  }

  private static func part(
    for column: ResolvedColumns.Column, asked: inout [ResolvedColumns.Column]
  ) -> Part? {
    func ask(
      _ expression: ResolvedExpression, isAggregate: Bool = true, type: AttributeType? = nil
    ) -> Int {
      asked.append(
        ResolvedColumns.Column(
          name: "part\(asked.count)", expression: expression, isAggregate: isAggregate,
          type: type ?? column.type))
      return asked.count - 1
    }
    guard column.isAggregate else { return .first(ask(column.expression, isAggregate: false)) }
    guard case .function(let function, let arguments) = column.expression else { return nil }
    switch function {
    case .count: return .count(ask(column.expression))
    case .sum: return .sum(ask(column.expression))
    case .minimum: return .minimum(ask(column.expression))
    case .maximum: return .maximum(ask(column.expression))
    case .average:
      guard let argument = arguments.first, let type = type(of: argument) else { return nil }
      return .average(
        sum: ask(.function(.sum, arguments), type: type),
        count: ask(.function(.count, arguments), type: .integer64))
    default: return nil
    }
  }

  /// The type of a path's values; nil for computed expressions.
  private static func type(of expression: ResolvedExpression) -> AttributeType? {
    guard case .path(let path) = expression else { return nil }
    switch path.end {
    case .attribute(let attribute, _): return attribute.type
    case .elements(let attribute, _): return attribute.elementType
    case .object: return .objectID
    case .entity: return nil
    }
  }

  /// Makes an empty set of groups, to which the stores' answers are added.
  func begin() -> Groups { Groups(merge: self) }

  /// The merged groups of the stores so far, in the order in which they first appeared.
  struct Groups {
    private let merge: AggregateMerge
    private var indices: [[Value]: Int] = [:]
    private var groups: [[Value]] = []

    fileprivate init(merge: AggregateMerge) {
      self.merge = merge
    }

    /// Adds the answer of one store to the partial columns.
    ///
    /// - Throws: `arithmeticOverflow` when a sum leaves the range of its type.
    mutating func add(_ values: [Value]) throws {
      let width = merge.partialColumns.columns.count
      for start in stride(from: 0, to: values.count, by: width) {
        let tuple = Array(values[start..<start + width])
        let key = Array(tuple.prefix(merge.keyCount))
        if let known = indices[key] {
          try merge.combine(tuple, into: &groups[known])
        } else {
          indices[key] = groups.count
          groups.append(tuple)
        }
      }
    }

    /// Returns the values of the requested columns, with offset and limit applied.
    func finish(offset: Int, limit: Int?) -> [Value] {
      groups.window(offset: offset, limit: limit).flatMap { merge.columns(of: $0) }
    }
  }

  private func combine(_ tuple: [Value], into group: inout [Value]) throws {
    for part in parts {
      switch part {
      case .first: break
      case .count(let index), .sum(let index):
        group[index] = try Self.sum(group[index], tuple[index])
      case .minimum(let index):
        group[index] = Self.extreme(group[index], tuple[index], .less)
      case .maximum(let index):
        group[index] = Self.extreme(group[index], tuple[index], .greater)
      case .average(let sum, let count):
        group[sum] = try Self.sum(group[sum], tuple[sum])
        group[count] = try Self.sum(group[count], tuple[count])
      }
    }
  }

  private func columns(of group: [Value]) -> [Value] {
    parts.map { part in
      switch part {
      case .first(let index), .count(let index), .sum(let index), .minimum(let index),
        .maximum(let index):
        group[index]
      case .average(let sum, let count): Self.average(group[sum], group[count])
      }
    }
  }

  private static func average(_ sum: Value, _ count: Value) -> Value {
    guard case .integer(let count) = count, count > 0 else { return .null }
    switch sum {
    case .integer(let sum): return .double(Double(sum) / Double(count))
    case .double(let sum): return .double(sum / Double(count))
    case .decimal(let sum):
      return .double(DecimalParts.double(sum) / Double(count))
    default: return .null
    }
  }

  private static func sum(_ left: Value, _ right: Value) throws -> Value {
    switch (left, right) {
    case (.null, let value), (let value, .null): return value
    case (.integer(let left), .integer(let right)):
      let (sum, isTooLarge) = left.addingReportingOverflow(right)
      if isTooLarge { throw overflow }
      return .integer(sum)
    case (.decimal(let left), .decimal(let right)): return try decimal(left + right)
    case (.decimal(let left), .integer(let right)): return try decimal(left + Decimal(right))
    case (.integer(let left), .decimal(let right)): return try decimal(Decimal(left) + right)
    default: return .double(double(left) + double(right))
    }
  }

  private static func decimal(_ sum: Decimal) throws -> Value {
    if sum.isNaN { throw overflow }
    return .decimal(sum)
  }

  private static func double(_ value: Value) -> Double {
    switch value {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .decimal(let number): DecimalParts.double(number)
    default: 0
    }
  }

  private static func extreme(_ left: Value, _ right: Value, _ wanted: ValueOrder) -> Value {
    if right.isNull { return left }
    if left.isNull { return right }
    return ValueOrder.compare(right, left) == wanted ? right : left
  }

  private static var overflow: PersistenceError {
    PersistenceError(.arithmeticOverflow, "A sum over several stores is too large for its type.")
  }
}
