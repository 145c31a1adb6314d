// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Sorts items like every store: nil first when ascending, strings by bytes unless another comparator is set, and
/// ties by key.
///
/// ```swift
/// let sorter = try SortEvaluator(request.sort, source: source)
/// let people = try sorter.sorted(items)
/// ```
public final class SortEvaluator<Source: EvaluationSource> {
  private let source: Source
  private let steps: [Step]

  private struct Step {
    let value: CompiledValue<Source>
    let ascending: Bool
    let comparator: SortOrdering.Comparator
    let search: SearchQuery?
  }

  /// Compiles a sort order.
  ///
  /// - Throws: `invalidRequest` when a path of the order has a to-many step.
  public init(_ sort: [ResolvedSort], source: Source) throws {
    self.source = source
    steps = try sort.map { step in
      var compiler = PredicateCompiler(source: source)
      return Step(
        value: try compiler.value(.path(step.path)), ascending: step.ascending,
        comparator: step.comparator, search: step.search)
    }
  }

  /// Returns the sorted items.
  ///
  /// - Complexity: O(*n* log *n*) comparisons; sort keys are computed once per item.
  public func sorted(_ items: [Source.Item]) throws -> [Source.Item] {
    try order(of: items).map { items[$0] }
  }

  /// Returns the indices of the sorted items.
  func order(of items: [Source.Item]) throws -> [Int] {
    let ties = items.map { source.tieBreaker(of: $0) }
    let columns = try steps.map { try column(of: items, $0) }
    var indices = Array(items.indices)
    indices.sort { left, right in
      for column in columns {
        let order = column.order(left, right)
        if order != 0 { return order < 0 }
      }
      return ties[left] < ties[right]
    }
    return indices
  }

  /// Whether one item comes before another.
  public func isOrderedBefore(_ left: Source.Item, _ right: Source.Item) throws -> Bool {
    let order = try order(left, right)
    return order == 0 ? source.tieBreaker(of: left) < source.tieBreaker(of: right) : order < 0
  }

  /// Returns the order of two items without the tie-breaker: negative when `left` comes first, 0 when they are equal.
  public func order(_ left: Source.Item, _ right: Source.Item) throws -> Int {
    let scope = EvaluationScope(source: source, variableCount: 0)
    for step in steps {
      let column = SortColumn(
        [try value(of: left, step, scope), try value(of: right, step, scope)], step.comparator,
        ascending: step.ascending)
      let order = column.order(0, 1)
      if order != 0 { return order }
    }
    return 0
  }

  /// Returns the sort keys of an item, one for each step.
  package func values(of item: Source.Item) throws -> [Value] {
    let scope = EvaluationScope(source: source, variableCount: 0)
    return try steps.map { try value(of: item, $0, scope) }
  }

  private func column(of items: [Source.Item], _ step: Step) throws -> SortColumn {
    let scope = EvaluationScope(source: source, variableCount: 0)
    var values: [Value] = []
    values.reserveCapacity(items.count)
    for item in items { values.append(try value(of: item, step, scope)) }
    return SortColumn(values, step.comparator, ascending: step.ascending)
  }

  private func value(
    of item: Source.Item, _ step: Step, _ scope: EvaluationScope<Source>
  ) throws -> Value {
    let value = try content(of: item, step, scope)
    return step.search.map { $0.score(of: value) } ?? value
  }

  private func content(
    of item: Source.Item, _ step: Step, _ scope: EvaluationScope<Source>
  ) throws -> Value {
    switch step.value {
    case .constant(let value): return value
    case .row(let value): return value(try source.base(of: item))
    case .scoped(let value):
      scope.object = item
      return try value(scope)
    }
  }
}
