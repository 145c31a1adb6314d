// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The object of a typed query, or an object along its to-one relationships: its members are fields, objects and
/// collections for comparisons.
///
/// A relationship needs no optional chaining: without a destination, everything behind it is nil.
///
/// ```swift
/// let request = Person.where { $0.age >= 18 && $0.department.name == "Research" }
/// ```
@dynamicMemberLookup
public struct QueryObject<Root: KeyPathNaming> {
  /// The object as an expression.
  public let expression: FetchExpression
  /// The number of enclosing subqueries.
  let depth: Int

  init(_ expression: FetchExpression = .evaluatedObject, depth: Int = 0) {
    self.expression = expression
    self.depth = depth
  }

  func reach(_ keyPath: AnyKeyPath) -> FetchExpression {
    Root.expression(for: keyPath, from: expression)
  }

  /// Returns the expression for a key path of an object, in columns as in conditions.
  package static func expression(
    of keyPath: AnyKeyPath, from object: FetchExpression = .evaluatedObject
  ) -> FetchExpression {
    Root.expression(for: keyPath, from: object)
  }

  /// An attribute.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Root, Value>
  ) -> QueryField<Value> {
    QueryField(reach(keyPath))
  }

  /// The destination of a to-one relationship.
  public subscript<Destination: KeyPathNaming>(
    dynamicMember keyPath: KeyPath<Root, Destination>
  ) -> QueryObject<Destination> {
    QueryObject<Destination>(reach(keyPath), depth: depth)
  }

  /// The destination of an optional to-one relationship.
  public subscript<Destination: KeyPathNaming>(
    dynamicMember keyPath: KeyPath<Root, Destination?>
  ) -> QueryObject<Destination> {
    QueryObject<Destination>(reach(keyPath), depth: depth)
  }

  /// The destinations of a to-many relationship.
  public subscript<Members: Collection>(
    dynamicMember keyPath: KeyPath<Root, Members>
  ) -> QueryCollection<Members.Element> where Members.Element: KeyPathNaming {
    QueryCollection(reach(keyPath), depth: depth)
  }

  /// The object itself, for comparisons with IDs.
  public var objectID: QueryObject { self }
}

// MARK: - Comparisons

extension QueryObject {
  /// Whether the object is a given one; nil tests whether there is none.
  public static func == (left: QueryObject, right: (any ObjectIDConvertible)?) -> FetchPredicate {
    left.compared(.equalTo, right)
  }

  /// Whether the object is not a given one; nil tests whether there is one.
  public static func != (left: QueryObject, right: (any ObjectIDConvertible)?) -> FetchPredicate {
    left.compared(.notEqualTo, right)
  }

  /// Whether two objects of the query are the same.
  public static func == <Other>(left: QueryObject, right: QueryObject<Other>) -> FetchPredicate {
    .comparison(ComparisonPredicate(left.expression, .equalTo, right.expression))
  }

  /// Whether two objects of the query differ.
  public static func != <Other>(left: QueryObject, right: QueryObject<Other>) -> FetchPredicate {
    .comparison(ComparisonPredicate(left.expression, .notEqualTo, right.expression))
  }

  /// Whether the object is one of several objects or IDs.
  public func `in`(_ objects: some Sequence<some ObjectIDConvertible>) -> FetchPredicate {
    let members = objects.map { FetchExpression.constant(.objectID($0.objectID)) }
    return .comparison(ComparisonPredicate(expression, .in, .list(members)))
  }

  private func compared(
    _ comparison: ComparisonPredicate.Comparison, _ object: (any ObjectIDConvertible)?
  ) -> FetchPredicate {
    let value = object.map { Value.objectID($0.objectID) } ?? .null
    return .comparison(ComparisonPredicate(expression, comparison, .constant(value)))
  }
}
