// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Translates the tree of Foundation's `#Predicate` to a ``FetchPredicate``. It recurses to the depth of the tree,
/// which is limited.
struct PredicateTranslator {
  /// The expressions for the tree's variables.
  var variables: [PredicateExpressions.VariableID: FetchExpression] = [:]
  /// The number of enclosing subqueries.
  var subqueryDepth = 0
  private var depth = 0

  /// A translated part of the tree: in Swift a condition is also a value.
  enum Part {
    case expression(FetchExpression)
    case predicate(FetchPredicate)
    /// A condition at the end of an optional chain, which is nil where the chain is nil.
    case optionalPredicate(FetchPredicate, isNil: FetchPredicate)
    /// The members of a path that satisfy a condition; only their count is supported.
    case members(FetchExpression, variable: String, FetchPredicate)
    /// The bounds of a range.
    case range(lower: FetchExpression, upper: FetchExpression, includesUpper: Bool)
  }

  mutating func part(_ expression: any PredicateExpression) throws -> Part {
    depth += 1
    defer { depth -= 1 }
    guard depth <= QueryLimits.maximumDepth else {
      throw PersistenceError(
        .limitExceeded, "a #Predicate is nested more than \(QueryLimits.maximumDepth) deep")
    }
    guard let node = expression as? any TranslatablePredicateNode else {
      throw Self.unsupported(expression)
    }
    return try node.translate(&self)
  }

  mutating func predicate(_ expression: any PredicateExpression) throws -> FetchPredicate {
    switch try part(expression) {
    case .predicate(let predicate): predicate
    case .optionalPredicate(let predicate, let isNil): !isNil && predicate
    case .expression(.constant(let value)) where value.isTruth:
      .constant(value != .integer(0))
    // A field of type Bool is a condition by itself.
    case .expression(let field):
      .comparison(ComparisonPredicate(field, .equalTo, .constant(.integer(1))))
    case .members, .range: throw Self.unsupported(expression)
    }
  }

  /// Returns the comparison of an optional-chain condition with a constant; nil for other operands.
  mutating func comparison(
    of left: any PredicateExpression, with right: any PredicateExpression
  ) throws -> FetchPredicate? {
    let (first, second) = (try part(left), try part(right))
    let condition, isNil: FetchPredicate
    let constant: Value
    switch (first, second) {
    case (.optionalPredicate(let predicate, let absent), .expression(.constant(let value))),
      (.expression(.constant(let value)), .optionalPredicate(let predicate, let absent)):
      (condition, isNil, constant) = (predicate, absent, value)
    default: return nil
    }
    if constant.isNull { return isNil }
    guard constant.isTruth else { return nil }
    return !isNil && (constant == .integer(1) ? condition : !condition)
  }

  mutating func expression(_ expression: any PredicateExpression) throws -> FetchExpression {
    guard let value = Self.value(of: try part(expression)) else {
      throw Self.unsupported(expression)
    }
    return value
  }

  /// Returns the value of a part; a condition is 1 or 0.
  static func value(of part: Part) -> FetchExpression? {
    switch part {
    case .expression(let value): value
    case .predicate(let condition):
      .conditional(condition, .constant(.integer(1)), .constant(.integer(0)))
    case .optionalPredicate(let condition, let isNil):
      .conditional(
        isNil, .constant(.null),
        .conditional(condition, .constant(.integer(1)), .constant(.integer(0))))
    case .members, .range: nil
    }
  }

  /// Translates a condition on the members of a collection.
  mutating func members(
    _ collection: any PredicateExpression, _ variable: PredicateExpressions.VariableID,
    _ test: any PredicateExpression
  ) throws -> (FetchExpression, variable: String, FetchPredicate) {
    let path = try expression(collection)
    let name = "x\(subqueryDepth)"
    variables[variable] = .variable(name)
    subqueryDepth += 1
    defer { subqueryDepth -= 1 }
    return (path, name, try predicate(test))
  }

  static func count(
    _ path: FetchExpression, _ variable: String, _ condition: FetchPredicate
  ) -> FetchExpression {
    FetchExpression.subquery(path, variable: variable, condition).appending(["@count"]).expression
  }

  static func comparison(
    _ left: FetchExpression, _ comparison: ComparisonPredicate.Comparison,
    _ right: FetchExpression, options: ComparisonPredicate.Options = []
  ) -> Part {
    .predicate(.comparison(ComparisonPredicate(left, comparison, right, options: options)))
  }

  static func unsupported(_ expression: any PredicateExpression) -> PersistenceError {
    let name = String(describing: type(of: expression)).prefix { $0 != "<" }
    return PersistenceError(
      .invalidPredicate, "#Predicate's “\(name)” has no counterpart in a query.")
  }
}

/// A node of Foundation's tree with a counterpart in a query.
protocol TranslatablePredicateNode {
  func translate(_ translator: inout PredicateTranslator) throws -> PredicateTranslator.Part
}

extension Value {
  var isTruth: Bool { self == .integer(0) || self == .integer(1) }
}
