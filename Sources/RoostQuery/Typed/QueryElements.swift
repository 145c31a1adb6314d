// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The elements of an attribute that holds an array or a set of values, in a typed query.
///
/// Where the attribute has no collection there are no elements: a comparison of `any` is false, and one of `all` is
/// true.
///
/// ```swift
/// Issue.where { $0.tags.contains("urgent") && $0.scores.all >= 3 && $0.tags.count < 10 }
/// ```
public struct QueryElements<Element: AttributeValue> {
  /// The collection as an expression.
  public let expression: FetchExpression

  init(_ expression: FetchExpression) {
    self.expression = expression
  }

  // MARK: Conditions

  /// At least one of the elements: a comparison with it holds when it holds for one of them.
  ///
  /// ```swift
  /// Issue.where { $0.tags.any.hasPrefix("ur", .caseInsensitive) }
  /// ```
  public var any: QueryField<Element> { QueryField(expression, modifier: .any) }

  /// Every element: a comparison with it holds when it holds for all of them.
  public var all: QueryField<Element> { QueryField(expression, modifier: .all) }

  /// Whether a value is among the elements.
  public func contains(_ value: Element) -> FetchPredicate { any == value }

  /// Whether at least one of several values is among the elements.
  public func contains(anyOf values: some Sequence<Element>) -> FetchPredicate { any.in(values) }

  /// Whether there are no elements.
  public var isEmpty: FetchPredicate { count == 0 }

  // MARK: Numbers

  /// The number of elements.
  public var count: QueryField<Int> { QueryField(aggregate("@count")) }

  /// The smallest element; nil when there are none.
  public var min: QueryField<Element?> { QueryField(aggregate("@min")) }

  /// The largest element; nil when there are none.
  public var max: QueryField<Element?> { QueryField(aggregate("@max")) }

  fileprivate func aggregate(_ collectionOperator: String) -> FetchExpression {
    expression.appending([collectionOperator]).expression
  }
}

extension QueryElements where Element: QueryNumber {
  /// The sum of the elements; 0 when there are none.
  public var sum: QueryField<Element> { QueryField(aggregate("@sum")) }

  /// The average of the elements; nil when there are none.
  public var average: QueryField<Double?> { QueryField(aggregate("@avg")) }
}

extension QueryObject {
  /// The elements of an attribute that holds an array or a set of values.
  public subscript<Members: Collection>(
    dynamicMember keyPath: KeyPath<Root, Members>
  ) -> QueryElements<Members.Element> where Members.Element: AttributeValue {
    QueryElements(reach(keyPath))
  }

  /// The elements of an attribute that may hold an array or a set of values.
  public subscript<Members: Collection>(
    dynamicMember keyPath: KeyPath<Root, Members?>
  ) -> QueryElements<Members.Element> where Members.Element: AttributeValue {
    QueryElements(reach(keyPath))
  }
}
