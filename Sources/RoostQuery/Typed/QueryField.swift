// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// An attribute in a typed query, or a computation on attributes.
///
/// ```swift
/// Person.where { $0.age >= 18 && $0.name.hasPrefix("A") && $0.nickname != nil }
/// ```
public struct QueryField<Value: AttributeValue> {
  /// The field as an expression.
  public let expression: FetchExpression
  /// How many of the values of a collection a comparison is about.
  let modifier: ComparisonPredicate.Modifier

  init(_ expression: FetchExpression, modifier: ComparisonPredicate.Modifier = .direct) {
    self.expression = expression
    self.modifier = modifier
  }

  func compared(
    _ comparison: ComparisonPredicate.Comparison, _ right: FetchExpression,
    _ options: ComparisonPredicate.Options = []
  ) -> FetchPredicate {
    .comparison(
      ComparisonPredicate(expression, comparison, right, modifier: modifier, options: options))
  }

  /// Returns a constant; an unsupported value is refused when the query is resolved.
  static func constant(_ value: some AttributeValue) -> FetchExpression {
    PredicateArgument.canonical(value.attributeValue) ?? .constant(value.attributeValue)
  }
}

// MARK: - Comparisons with a value

extension QueryField {
  /// Whether the field has a value.
  public static func == (left: QueryField, right: Value) -> FetchPredicate {
    left.compared(.equalTo, constant(right))
  }

  /// Whether the field has another value, or none.
  public static func != (left: QueryField, right: Value) -> FetchPredicate {
    left.compared(.notEqualTo, constant(right))
  }

  /// Whether the field is smaller.
  public static func < (left: QueryField, right: Value) -> FetchPredicate {
    left.compared(.lessThan, constant(right))
  }

  /// Whether the field is smaller or equal.
  public static func <= (left: QueryField, right: Value) -> FetchPredicate {
    left.compared(.lessThanOrEqualTo, constant(right))
  }

  /// Whether the field is larger.
  public static func > (left: QueryField, right: Value) -> FetchPredicate {
    left.compared(.greaterThan, constant(right))
  }

  /// Whether the field is larger or equal.
  public static func >= (left: QueryField, right: Value) -> FetchPredicate {
    left.compared(.greaterThanOrEqualTo, constant(right))
  }

  /// Whether the field has one of several values.
  public func `in`(_ values: some Sequence<Value>) -> FetchPredicate {
    compared(.in, .list(values.map { Self.constant($0) }))
  }

  /// Whether the field is between two values, these included.
  public func between(_ lower: Value, _ upper: Value) -> FetchPredicate {
    compared(.between, .list([Self.constant(lower), Self.constant(upper)]))
  }
}

extension QueryField where Value: Comparable {
  /// Whether the field is in a range.
  public func `in`(_ range: ClosedRange<Value>) -> FetchPredicate {
    between(range.lowerBound, range.upperBound)
  }

  /// Whether the field is in a half-open range. Of any element of a collection, only ranges of numbers and dates can
  /// be asked.
  public func `in`(_ range: Range<Value>) -> FetchPredicate {
    // Two comparisons with any element may hold for two different ones.
    modifier == .any
      ? compared(to: HalfOpenRange(range)) : self >= range.lowerBound && self < range.upperBound
  }

  /// Whether a field is in a range.
  public static func ~= (range: ClosedRange<Value>, field: QueryField) -> FetchPredicate {
    field.in(range)
  }

  /// Whether a field is in a half-open range.
  public static func ~= (range: Range<Value>, field: QueryField) -> FetchPredicate {
    field.in(range)
  }
}

// MARK: - Comparisons with a field

extension QueryField {
  /// Whether two fields are equal; two nil fields are.
  public static func == <Other>(left: QueryField, right: QueryField<Other>) -> FetchPredicate {
    left.compared(.equalTo, right.expression)
  }

  /// Whether two fields differ.
  public static func != <Other>(left: QueryField, right: QueryField<Other>) -> FetchPredicate {
    left.compared(.notEqualTo, right.expression)
  }

  /// Whether a field is smaller than another.
  public static func < <Other>(left: QueryField, right: QueryField<Other>) -> FetchPredicate {
    left.compared(.lessThan, right.expression)
  }

  /// Whether a field is smaller than another, or equal.
  public static func <= <Other>(left: QueryField, right: QueryField<Other>) -> FetchPredicate {
    left.compared(.lessThanOrEqualTo, right.expression)
  }

  /// Whether a field is larger than another.
  public static func > <Other>(left: QueryField, right: QueryField<Other>) -> FetchPredicate {
    left.compared(.greaterThan, right.expression)
  }

  /// Whether a field is larger than another, or equal.
  public static func >= <Other>(left: QueryField, right: QueryField<Other>) -> FetchPredicate {
    left.compared(.greaterThanOrEqualTo, right.expression)
  }
}

extension QueryField where Value == Bool {
  /// Whether the field is false; where it may be nil, nil counts as false too.
  public static prefix func ! (field: QueryField) -> FetchPredicate {
    .not(field == true)
  }
}
