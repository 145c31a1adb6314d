// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The destinations of a to-many relationship in a typed query.
///
/// ```swift
/// Department.where { $0.people.any { $0.age < 18 } || $0.people.count > 100 }
/// ```
public struct QueryCollection<Element: KeyPathNaming> {
  /// The destinations as an expression.
  public let expression: FetchExpression
  let depth: Int

  init(_ expression: FetchExpression, depth: Int) {
    self.expression = expression
    self.depth = depth
  }

  // MARK: Conditions

  /// Whether at least one destination satisfies a condition.
  public func any(_ condition: (QueryObject<Element>) -> FetchPredicate) -> FetchPredicate {
    count(where: condition) > 0
  }

  /// Whether every destination satisfies a condition; true when there are none.
  public func all(_ condition: (QueryObject<Element>) -> FetchPredicate) -> FetchPredicate {
    count { !condition($0) } == 0
  }

  /// Whether no destination satisfies a condition.
  public func none(_ condition: (QueryObject<Element>) -> FetchPredicate) -> FetchPredicate {
    count(where: condition) == 0
  }

  /// Whether an object is among the destinations.
  public func contains(_ object: some ObjectIDConvertible) -> FetchPredicate {
    .comparison(
      ComparisonPredicate(
        expression, .equalTo, .constant(.objectID(object.objectID)), modifier: .any))
  }

  /// Whether there are no destinations.
  public var isEmpty: FetchPredicate { count == 0 }

  // MARK: Numbers

  /// The number of destinations.
  public var count: QueryField<Int> { QueryField(expression.appending(["@count"]).expression) }

  /// The number of destinations that satisfy a condition.
  public func count(
    where condition: (QueryObject<Element>) -> FetchPredicate
  ) -> QueryField<Int> {
    let name = "x\(depth)"
    let member = QueryObject<Element>(.variable(name), depth: depth + 1)
    let subquery = FetchExpression.subquery(expression, variable: name, condition(member))
    return QueryField(subquery.appending(["@count"]).expression)
  }

  /// The sum of an attribute of all destinations; 0 when there are none.
  public func sum<Value: QueryNumber>(_ keyPath: KeyPath<Element, Value>) -> QueryField<Value> {
    field("@sum", keyPath)
  }

  /// The average of an attribute of all destinations; nil when there are none.
  public func average<Value: QueryNumber>(
    _ keyPath: KeyPath<Element, Value>
  ) -> QueryField<Double?> {
    field("@avg", keyPath)
  }

  /// The smallest value of an attribute; nil when there are no destinations.
  public func min<Value: AttributeValue>(_ keyPath: KeyPath<Element, Value>) -> QueryField<Value?> {
    field("@min", keyPath)
  }

  /// The largest value of an attribute; nil when there are no destinations.
  public func max<Value: AttributeValue>(_ keyPath: KeyPath<Element, Value>) -> QueryField<Value?> {
    field("@max", keyPath)
  }

  private func field<Value: AttributeValue>(
    _ collectionOperator: String, _ keyPath: AnyKeyPath
  ) -> QueryField<Value> {
    QueryField(Element.expression(for: keyPath, from: expression, after: [collectionOperator]))
  }
}
