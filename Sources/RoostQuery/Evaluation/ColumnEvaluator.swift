// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Computes the columns of a dictionary fetch from the matching items: values, groups, aggregates, distinct tuples.
///
/// Tuples are in the order of the items; a group or a distinct tuple is at the position of its first item. Without
/// items, an aggregate without groups gives one tuple: counts and sums are 0, everything else nil. Aggregates ignore
/// nil.
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
  /// The grouping by row memory, when all keys and aggregates can be read from it.
  private let rowGrouping: RowGrouping?
  /// The columns of a group, when none needs a scope.
  private let groupColumns: [GroupColumn]?

  /// Compiles columns.
  ///
  /// - Parameters:
  ///   - columns: The columns.
  ///   - source: The source of the items' data.
  ///   - readsReferences: Whether the items' memory contains the keys of to-one destinations, as the rows of a store
  ///     do, so that items can be grouped by them without the source.
  /// - Throws: The errors of ``PredicateEvaluator/init(_:source:)``.
  public init(
    _ columns: ResolvedColumns, source: Source, readsReferences: Bool = false
  ) throws {
    self.source = source
    self.columns = columns
    var compiler = PredicateCompiler(source: source, aggregatesGroups: columns.isAggregated)
    var groupColumns: [GroupColumn?] = []
    values = try columns.columns.map { column in
      let value = try compiler.value(column.expression)
      let last = (compiler.groupAggregates?.count ?? 0) - 1
      groupColumns.append(GroupColumn(column.expression, value, lastAggregate: last))
      return value
    }
    keys = try columns.groupBy.map { try compiler.value($0) }
    having = try columns.having.map { try compiler.test($0).general }
    self.groupColumns =
      having == nil && !groupColumns.contains { $0 == nil } ? groupColumns.compactMap(\.self) : nil
    aggregates = compiler.groupAggregates ?? []
    variableCount = compiler.variableCount
    let rowKeys = zip(columns.groupBy, keys).compactMap {
      RowGrouping.Key($0, $1, readsReferences: readsReferences)
    }
    let rowColumns = aggregates.compactMap(\.rowColumn)
    let isPossible = rowKeys.count == keys.count && rowColumns.count == aggregates.count
    rowGrouping = isPossible ? RowGrouping(keys: rowKeys, columns: rowColumns) : nil
  }

  /// Returns the values of all columns, tuple by tuple.
  ///
  /// - Parameter items: The matching items, in order.
  /// - Throws: The errors of the source, and `arithmeticOverflow` for a sum.
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

  /// Returns groups for incremental grouping by row memory; nil without grouping, or when some key or aggregate
  /// cannot be read from row memory.
  package func rowGroups() -> RowGroups? {
    columns.isAggregated ? rowGrouping.map { RowGroups($0) } : nil
  }

  /// Returns the values of all columns of complete groups, tuple by tuple.
  ///
  /// - Parameters:
  ///   - groups: The result of ``rowGroups()``, after all items were added in order.
  ///   - first: The first item of each group.
  /// - Throws: The errors of ``tuples(_:)``.
  package func tuples(of groups: RowGroups, first: [Source.Item]) throws -> [Value] {
    guard !first.isEmpty else { return try tuples([]) }
    let tuples: [Value]
    if let groupColumns {
      tuples = try self.tuples(of: groups, first, groupColumns)
    } else {
      let scope = EvaluationScope(source: source, variableCount: variableCount)
      tuples = try self.tuples(of: self.groups(of: groups, first), scope)
    }
    return columns.distinct ? distinct(tuples) : tuples
  }

  /// Computes the columns without a scope.
  private func tuples(
    of groups: RowGroups, _ first: [Source.Item], _ columns: [GroupColumn]
  ) throws -> [Value] {
    var result: [Value] = []
    result.reserveCapacity(first.count * columns.count)
    for number in first.indices {
      let item = first[number]
      for column in columns {
        switch column {
        case .constant(let value): result.append(value)
        case .aggregate(let index): result.append(try groups.result(index, ofGroup: number))
        case .row(let value): result.append(value(try source.base(of: item)))
        case .destination(let relationship):
          let identity = try source.destinationIdentity(of: relationship, from: item)
          result.append(identity.flatMap(source.objectID).map(Value.objectID) ?? .null)
        }
      }
    }
    return result
  }

  private func groupedTuples(_ items: [Source.Item]) throws -> [Value] {
    let scope = EvaluationScope(source: source, variableCount: variableCount)
    return try tuples(of: groups(items, scope), scope)
  }

  private func tuples(
    of groups: [Group], _ scope: EvaluationScope<Source>
  ) throws -> [Value] {
    let getters = values.map(\.general)
    var result: [Value] = []
    for group in groups {
      scope.object = group.first
      scope.aggregates = try group.aggregates.map { try $0.result() }
      if let having, !(try having(scope)) { continue }
      for (index, getter) in getters.enumerated() {
        result.append(try canCompute(index, of: group) ? getter(scope) : .null)
      }
    }
    return result
  }

  /// Whether a column can be computed: a group without items has aggregates and constants only.
  private func canCompute(_ index: Int, of group: Group) -> Bool {
    if group.first != nil || columns.columns[index].isAggregate { return true }
    if case .constant = values[index] { return true }
    return false
  }

  private func groups(
    _ items: [Source.Item], _ scope: EvaluationScope<Source>
  ) throws -> [Group] {
    let empty = aggregates.map { Aggregate($0.function) }
    if let rowGrouping, !items.isEmpty { return try self.groups(items, rowGrouping) }
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

  private func groups(_ items: [Source.Item], _ grouping: RowGrouping) throws -> [Group] {
    var groups = RowGroups(grouping)
    var first: [Source.Item] = []
    try withExtendedLifetime(items) {
      for item in items where groups.add(try source.base(of: item)) { first.append(item) }
    }
    return self.groups(of: groups, first)
  }

  private func groups(of groups: RowGroups, _ first: [Source.Item]) -> [Group] {
    first.enumerated().map { number, first in
      Group(first: first, aggregates: groups.aggregates(ofGroup: number))
    }
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
