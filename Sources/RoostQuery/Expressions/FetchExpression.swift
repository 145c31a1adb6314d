// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// What stands on one side of a comparison, or in a column of a dictionary fetch.
///
/// ```swift
/// let path = FetchExpression.keyPath(["department", "name"])
/// let length = FetchExpression.function(.length, [path])
/// ```
/// Two expressions are equal when they mean the same tree, however they were made: a truth value is the number 1 or 0,
/// a list of constants is a constant list, `SELF.name` is `name`.
public indirect enum FetchExpression: Sendable {
  /// A value.
  case constant(Value)
  /// `<null>`: Foundation's `NSNull`, which is judged as nil is and printed as Core Data prints it.
  case nullObject
  /// `SELF`: the object that is judged.
  case evaluatedObject
  /// A key path from the object that is judged, as `department.name`; collection operators (`@count`, `@sum`) stand
  /// among the steps.
  case keyPath([String])
  /// A key path from another expression, as `$person.age`.
  case keyPathOf(FetchExpression, [String])
  /// `$name`: replaced before the request runs, or bound by a subquery.
  case variable(String)
  /// `{1, 2, 3}`.
  case list([FetchExpression])
  /// A function of a closed set.
  case function(FetchFunction, [FetchExpression])
  /// `SUBQUERY(collection, $variable, predicate)`: the members that satisfy a condition.
  case subquery(FetchExpression, variable: String, FetchPredicate)
  /// `TERNARY(condition, a, b)`.
  case conditional(FetchPredicate, FetchExpression, FetchExpression)
  /// A key path that no store can answer, as one of a computed property: the request that has it is refused when it is
  /// executed, since a typed condition cannot throw when it is built.
  case refused(RefusedKeyPath)
}
