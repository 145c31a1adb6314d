// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// An attribute of a type with a raw value, such as an enum, in a typed query. It is compared by the stored raw
/// value.
///
/// ```swift
/// Ticket.where { $0.state == .open || $0.state.in([.waiting, .blocked]) }
/// ```
public struct QueryChoice<Value: RawRepresentable> where Value.RawValue: AttributeValue {
  /// The raw value, for ordering and for comparisons with other fields.
  public let rawValue: QueryField<Value.RawValue>

  init(_ expression: FetchExpression) {
    rawValue = QueryField(expression)
  }

  /// Whether the attribute has a value.
  public static func == (left: QueryChoice, right: Value) -> FetchPredicate {
    left.rawValue == right.rawValue
  }

  /// Whether the attribute has another value, or none.
  public static func != (left: QueryChoice, right: Value) -> FetchPredicate {
    left.rawValue != right.rawValue
  }

  /// Whether the attribute has one of several values.
  public func `in`(_ values: some Sequence<Value>) -> FetchPredicate {
    rawValue.in(values.map(\.rawValue))
  }
}

extension QueryObject {
  /// An attribute of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Root, Value>
  ) -> QueryChoice<Value> where Value.RawValue: AttributeValue {
    QueryChoice(reach(keyPath))
  }

  /// An optional attribute of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Root, Value?>
  ) -> QueryChoice<Value> where Value.RawValue: AttributeValue {
    QueryChoice(reach(keyPath))
  }
}
