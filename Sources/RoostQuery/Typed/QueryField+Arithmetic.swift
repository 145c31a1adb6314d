// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

/// An attribute type with arithmetic operators in queries, optional or not.
///
/// ```swift
/// Line.where { $0.price * $0.count > 100 }
/// ```
public protocol QueryNumber: AttributeValue {}

extension Int: QueryNumber {}
extension Int16: QueryNumber {}
extension Int32: QueryNumber {}
extension Int64: QueryNumber {}
extension Double: QueryNumber {}
extension Float: QueryNumber {}
extension Decimal: QueryNumber {}
extension Optional: QueryNumber where Wrapped: QueryNumber {}

// Arithmetic without a result, such as a division by zero, gives nil.
extension QueryField where Value: QueryNumber {
  private func computed(_ function: FetchFunction, _ right: FetchExpression) -> QueryField {
    QueryField(.function(function, [expression, right]))
  }

  /// The sum of a field and a number.
  public static func + (left: QueryField, right: Value) -> QueryField {
    left.computed(.add, constant(right))
  }

  /// The difference of a field and a number.
  public static func - (left: QueryField, right: Value) -> QueryField {
    left.computed(.subtract, constant(right))
  }

  /// The product of a field and a number.
  public static func * (left: QueryField, right: Value) -> QueryField {
    left.computed(.multiply, constant(right))
  }

  /// The quotient of a field and a number; truncated for integers.
  public static func / (left: QueryField, right: Value) -> QueryField {
    left.computed(.divide, constant(right))
  }

  /// The remainder of a division of a field by a number.
  public static func % (left: QueryField, right: Value) -> QueryField {
    left.computed(.modulus, constant(right))
  }

  /// The sum of two fields.
  public static func + <Other: QueryNumber>(
    left: QueryField, right: QueryField<Other>
  ) -> QueryField {
    left.computed(.add, right.expression)
  }

  /// The difference of two fields.
  public static func - <Other: QueryNumber>(
    left: QueryField, right: QueryField<Other>
  ) -> QueryField {
    left.computed(.subtract, right.expression)
  }

  /// The product of two fields.
  public static func * <Other: QueryNumber>(
    left: QueryField, right: QueryField<Other>
  ) -> QueryField {
    left.computed(.multiply, right.expression)
  }

  /// The quotient of two fields; truncated for integers.
  public static func / <Other: QueryNumber>(
    left: QueryField, right: QueryField<Other>
  ) -> QueryField {
    left.computed(.divide, right.expression)
  }
}
