// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// A column of a selection: an attribute, or an aggregate of a group.
///
/// ```swift
/// let counts = context.select(Issue.self) { ($0.state, $0.count) }.grouped(by: \.state)
/// ```
public protocol SelectionColumn<Value> {
  /// The type of the column's values.
  associatedtype Value
  /// The computation of the column.
  var content: SelectionContent<Value> { get }
}

/// The expression of a column, and the conversion of its values.
///
/// ```swift
/// func names(_ column: SelectionField<String, String>) -> SelectionContent<String> { column.content }
/// ```
public struct SelectionContent<Value> {
  let expression: FetchExpression
  let read: (RoostModel.Value) throws -> Value
}

/// An attribute in a selection. For groups, it offers minimum, maximum, sum and count.
///
/// ```swift
/// context.select(Line.self) { ($0.price.sum, $0.price.max, $0.note.count) }
/// ```
public struct SelectionField<Value, Present>: SelectionColumn {
  /// The computation of the column.
  public let content: SelectionContent<Value>
  let readPresent: (RoostModel.Value) throws -> Present

  init(
    _ expression: FetchExpression, read: @escaping (RoostModel.Value) throws -> Value,
    present: @escaping (RoostModel.Value) throws -> Present
  ) {
    content = SelectionContent(expression: expression, read: read)
    readPresent = present
  }

  /// The number of objects that have a value.
  public var count: SelectionAggregate<Int> { .whole(.count, content.expression) }

  /// The smallest value; nil when there is none.
  public var min: SelectionAggregate<Present?> { extreme(.minimum) }

  /// The largest value; nil when there is none.
  public var max: SelectionAggregate<Present?> { extreme(.maximum) }

  private func extreme(_ function: FetchFunction) -> SelectionAggregate<Present?> {
    SelectionAggregate(function, content.expression) { [readPresent] value in
      value.isNull ? nil : try readPresent(value)
    }
  }
}

/// An aggregate over the objects of a group, or over all objects of a selection.
///
/// ```swift
/// let total = context.select(Line.self) { $0.price.sum }
/// ```
public struct SelectionAggregate<Value>: SelectionColumn {
  /// The computation of the column.
  public let content: SelectionContent<Value>

  init(
    _ function: FetchFunction, _ operand: FetchExpression,
    _ read: @escaping (RoostModel.Value) throws -> Value
  ) {
    content = SelectionContent(expression: .function(function, [operand]), read: read)
  }
}
