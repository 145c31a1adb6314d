// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// An expression: one side of a comparison, or a column of a dictionary fetch.
///
/// ```swift
/// let path = FetchExpression.keyPath(["department", "name"])
/// let length = FetchExpression.function(.length, [path])
/// ```
/// Two expressions are equal when they denote the same tree, however they were made: a Boolean is the number 1 or 0,
/// a list of constants is a constant list, `SELF.name` is `name`.
public indirect enum FetchExpression: Sendable {
  /// A value.
  case constant(Value)
  /// `<null>`: Foundation's `NSNull`, which is evaluated like nil and printed like in Core Data.
  case nullObject
  /// `SELF`: the evaluated object.
  case evaluatedObject
  /// A key path from the evaluated object, such as `department.name`; collection operators (`@count`, `@sum`) are
  /// among the steps.
  case keyPath([String])
  /// A key path from another expression, such as `$person.age`.
  case keyPathOf(FetchExpression, [String])
  /// `$name`: replaced before the request runs, or bound by a subquery.
  case variable(String)
  /// `{1, 2, 3}`.
  case list([FetchExpression])
  /// A call of a supported function.
  case function(FetchFunction, [FetchExpression])
  /// `SUBQUERY(collection, $variable, predicate)`: the members that satisfy a condition.
  case subquery(FetchExpression, variable: String, FetchPredicate)
  /// `TERNARY(condition, a, b)`.
  case conditional(FetchPredicate, FetchExpression, FetchExpression)
  /// A key path that no store can evaluate, such as one of a computed property. Its request is refused when it is
  /// executed, because a typed condition cannot throw when it is built.
  case refused(RefusedKeyPath)
}
