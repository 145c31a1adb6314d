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
  /// How the groups are made when the items' memory says everything.
  private let rowGrouping: RowGrouping?
  /// What the columns are of a group, when none needs a scope.
  private let groupColumns: [GroupColumn]?

  /// Compiles columns.
  ///
  /// - Parameters:
  ///   - columns: The columns.
  ///   - source: What is known of the items.
  ///   - readsReferences: Whether the items' memory holds the keys of the destinations of to-one relationships, as the
  ///     rows of a store do, so that items can be grouped by them without asking the source.
  /// - Throws: As ``PredicateEvaluator/init(_:source:)``.
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

  /// Groups that take items one after the other, by the memory of their rows; nil when nothing is grouped, or when more
  /// is asked than that memory says.
  package func rowGroups() -> RowGroups? {
    columns.isAggregated ? rowGrouping.map { RowGroups($0) } : nil
  }

  /// The values of all columns of groups that have taken all items, tuple after tuple.
  ///
  /// - Parameters:
  ///   - groups: What ``rowGroups()`` returned, after the items were added in order.
  ///   - first: The first item of each group.
  /// - Throws: As ``tuples(_:)``.
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

  /// The same without a scope.
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
