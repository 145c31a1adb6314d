// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

// Comparison operators for conditions on groups.
extension SelectionColumn where Value: AttributeValue {
  /// Whether the column equals a value.
  public static func == (left: Self, right: Value) -> FetchPredicate {
    left.compared(.equalTo, right)
  }

  /// Whether the column has another value, or none.
  public static func != (left: Self, right: Value) -> FetchPredicate {
    left.compared(.notEqualTo, right)
  }

  /// Whether the column is smaller.
  public static func < (left: Self, right: Value) -> FetchPredicate {
    left.compared(.lessThan, right)
  }

  /// Whether the column is smaller or equal.
  public static func <= (left: Self, right: Value) -> FetchPredicate {
    left.compared(.lessThanOrEqualTo, right)
  }

  /// Whether the column is larger.
  public static func > (left: Self, right: Value) -> FetchPredicate {
    left.compared(.greaterThan, right)
  }

  /// Whether the column is larger or equal.
  public static func >= (left: Self, right: Value) -> FetchPredicate {
    left.compared(.greaterThanOrEqualTo, right)
  }

  private func compared(
    _ comparison: ComparisonPredicate.Comparison, _ value: Value
  ) -> FetchPredicate {
    .comparison(
      ComparisonPredicate(
        content.expression, comparison,
        PredicateArgument.canonical(value.attributeValue) ?? .constant(value.attributeValue)))
  }
}
