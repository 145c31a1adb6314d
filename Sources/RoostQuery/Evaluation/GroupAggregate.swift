// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// An aggregate function over the rows of a group.
struct GroupAggregate<Source: EvaluationSource> {
  let function: FetchFunction
  private let value: CompiledValue<Source>
  /// Whether it counts rows, so that no value needs to be computed.
  private let countsRows: Bool
  /// The row's own slot with the value, when it is a number.
  private let number: RowSlot?

  init(
    _ function: FetchFunction, _ value: CompiledValue<Source>, of expression: ResolvedExpression
  ) throws {
    self.function = function
    self.value = value
    if function == .count, case .path(let path) = expression, case .object = path.end,
      path.relationships.isEmpty
    {
      countsRows = true
    } else {
      countsRows = false
    }
    if case .path(let path) = expression, case .attribute(_, let slot) = path.end,
      path.root == .object, path.relationships.isEmpty, path.endGuard == nil,
      slot.kind == .integer || slot.kind == .double
    {
      number = slot
    } else {
      number = nil
    }
  }

  /// The aggregate over row memory; nil when it needs more.
  var rowColumn: RowGrouping.Column? {
    if countsRows { return RowGrouping.Column(function: function, value: nil) }
    switch value {
    case .constant(let value): return RowGrouping.Column(function: function, value: { _ in value })
    case .row(let value):
      return RowGrouping.Column(function: function, value: value, number: number)
    case .scoped: return nil
    }
  }

  /// Adds one row of the group.
  func add(_ scope: EvaluationScope<Source>, to aggregate: inout Aggregate) throws {
    if countsRows { return aggregate.addOne() }
    switch value {
    case .constant(let value): aggregate.add(value)
    case .row(let value): aggregate.add(value(try scope.base(.object)))
    case .scoped(let value): aggregate.add(try value(scope))
    }
  }
}
