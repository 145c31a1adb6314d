// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Computes the columns of a dictionary fetch from the items that match: values, groups, aggregates, distinct tuples.
///
/// Tuples come in the order of the items; a group or a distinct tuple stands where its first item does. Of no items an
/// aggregate without groups makes one tuple: counts and sums are 0, everything else nil. nil is left out of aggregates.
///
/// ```swift
/// let evaluator = try ColumnEvaluator(columns, source: source)
/// let values = try evaluator.tuples(try sorter.sorted(items))
/// ```
public final class ColumnEvaluator<Source: EvaluationSource> {
  private let source: Source
  private let columns: ResolvedColumns
  private let values: [CompiledValue<Source>]
  private let keys: [CompiledValue<Source>]
  private let having: ((EvaluationScope<Source>) throws -> Bool)?
  private let aggregates: [GroupAggregate<Source>]
  private let variableCount: Int

  /// Compiles columns.
  ///
  /// - Throws: As ``PredicateEvaluator/init(_:source:)``.
  public init(_ columns: ResolvedColumns, source: Source) throws {
    self.source = source
    self.columns = columns
    var compiler = PredicateCompiler(source: source, aggregatesGroups: columns.isAggregated)
    values = try columns.columns.map { try compiler.value($0.expression) }
    keys = try columns.groupBy.map { try compiler.value($0) }
    having = try columns.having.map { try compiler.test($0).general }
    aggregates = compiler.groupAggregates ?? []
    variableCount = compiler.variableCount
  }

  /// The values of all columns, tuple after tuple.
  ///
  /// - Parameter items: The items that match, in order.
  /// - Throws: What the source throws, and `arithmeticOverflow` for a sum.
  /// - Complexity: O(*n*) in the number of items.
  public func tuples(_ items: [Source.Item]) throws -> [Value] {
    let tuples = columns.isAggregated ? try groupedTuples(items) : try plainTuples(items)
    return columns.distinct ? distinct(tuples) : tuples
  }

  private func plainTuples(_ items: [Source.Item]) throws -> [Value] {
    let scope = EvaluationScope(source: source, variableCount: variableCount)
    let getters = values.map(\.general)
    var result: [Value] = []
    result.reserveCapacity(items.count * getters.count)
    for item in items {
      scope.object = item
      for getter in getters { result.append(try getter(scope)) }
    }
    return result
  }

  // MARK: Groups

  private struct Group {
    let first: Source.Item?
    var aggregates: [Aggregate]
  }

  private func groupedTuples(_ items: [Source.Item]) throws -> [Value] {
    let scope = EvaluationScope(source: source, variableCount: variableCount)
    let getters = values.map(\.general)
    var result: [Value] = []
    for group in try groups(items, scope) {
      scope.object = group.first
      scope.aggregates = try group.aggregates.map { try $0.result() }
      if let having, !(try having(scope)) { continue }
      for (index, getter) in getters.enumerated() {
        result.append(try canCompute(index, of: group) ? getter(scope) : .null)
      }
    }
    return result
  }

  /// A group without items has aggregates and constants only.
  private func canCompute(_ index: Int, of group: Group) -> Bool {
    if group.first != nil || columns.columns[index].isAggregate { return true }
    if case .constant = values[index] { return true }
    return false
  }

  private func groups(
    _ items: [Source.Item], _ scope: EvaluationScope<Source>
  ) throws -> [Group] {
    let empty = aggregates.map { Aggregate($0.function) }
    let keyGetters = keys.map(\.general)
    var groups: [Group] = []
    var indices: [[Value]: Int] = [:]
    for item in items {
      scope.object = item
      let key = try keyGetters.map { try $0(scope) }
      let index: Int
      if let known = indices[key] {
        index = known
      } else {
        index = groups.count
        indices[key] = index
        groups.append(Group(first: item, aggregates: empty))
      }
      for (position, aggregate) in aggregates.enumerated() {
        try aggregate.add(scope, to: &groups[index].aggregates[position])
      }
    }
    if groups.isEmpty, keys.isEmpty { groups.append(Group(first: nil, aggregates: empty)) }
    return groups
  }

  // MARK: Distinct tuples

  private func distinct(_ tuples: [Value]) -> [Value] {
    let width = columns.columns.count
    guard width > 0 else { return tuples }
    var seen: Set<[Value]> = []
    var result: [Value] = []
    for start in stride(from: 0, to: tuples.count, by: width) {
      let tuple = Array(tuples[start..<start + width])
      if seen.insert(tuple).inserted { result.append(contentsOf: tuple) }
    }
    return result
  }
}
