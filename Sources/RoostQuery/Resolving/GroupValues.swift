// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Determines the expressions with one value per group: grouped expressions, aggregates, constants, and computations
/// on these (B134).
///
/// Recursive by the depth of the tree, which was checked.
struct GroupValues {
  /// The grouped expressions, and the columns that a HAVING condition may name.
  var grouped: Set<FetchExpression>
  /// Whether an expression aggregates the rows of a group.
  let isAggregate: (FetchExpression) throws -> Bool

  /// Whether an expression has one value per group.
  func include(_ expression: FetchExpression) throws -> Bool {
    if grouped.contains(expression) { return true }
    switch expression {
    case .constant, .nullObject: return true
    case .refused(let keyPath): throw keyPath.error
    case .list(let members): return try members.allSatisfy(include)
    case .function(let function, let arguments):
      return function.isAggregate
        ? try isAggregate(expression) : try arguments.allSatisfy(include)
    case .conditional(let condition, let first, let second):
      return try include(condition) && include(first) && include(second)
    case .keyPath(let steps):
      return try steps.contains { $0.hasPrefix("@") } && isAggregate(expression)
    case .evaluatedObject, .keyPathOf, .variable, .subquery: return false
    }
  }

  /// Whether a condition has one result per group.
  func include(_ predicate: FetchPredicate) throws -> Bool {
    switch predicate {
    case .constant: true
    case .comparison(let comparison): try include(comparison.left) && include(comparison.right)
    case .and(let operands), .or(let operands): try operands.allSatisfy(include)
    case .not(let operand): try include(operand)
    }
  }
}
