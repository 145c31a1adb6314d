// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension FetchPredicate {
  /// Returns the condition with replaced key paths, except for the collections of subqueries.
  ///
  /// - Parameter change: Says what stands in the place of a key path.
  /// - Throws: `limitExceeded` when it is nested too deep.
  package func replacingKeyPaths(
    _ change: ([String]) -> [String]
  ) throws -> FetchPredicate {
    guard QueryShape(of: self).isAllowed else {
      throw PersistenceError(
        .limitExceeded, "a condition is nested more than \(QueryLimits.maximumDepth) deep")
    }
    return withKeyPaths(change)
  }

  // Recursive by the depth of the tree, which was checked.
  fileprivate func withKeyPaths(_ change: ([String]) -> [String]) -> FetchPredicate {
    switch self {
    case .constant: return self
    case .comparison(var comparison):
      comparison.left = comparison.left.withKeyPaths(change)
      comparison.right = comparison.right.withKeyPaths(change)
      return .comparison(comparison)
    case .and(let operands): return .and(operands.map { $0.withKeyPaths(change) })
    case .or(let operands): return .or(operands.map { $0.withKeyPaths(change) })
    case .not(let operand): return .not(operand.withKeyPaths(change))
    }
  }
}

extension FetchExpression {
  fileprivate func withKeyPaths(_ change: ([String]) -> [String]) -> FetchExpression {
    switch self {
    case .constant, .nullObject, .refused, .evaluatedObject, .variable: self
    case .keyPath(let steps): .keyPath(change(steps))
    case .keyPathOf(let base, let steps): .keyPathOf(base.withKeyPaths(change), change(steps))
    case .list(let members): .list(members.map { $0.withKeyPaths(change) })
    case .function(let function, let arguments):
      .function(function, arguments.map { $0.withKeyPaths(change) })
    case .subquery(let collection, let variable, let condition):
      .subquery(collection, variable: variable, condition.withKeyPaths(change))
    case .conditional(let condition, let first, let second):
      .conditional(
        condition.withKeyPaths(change), first.withKeyPaths(change), second.withKeyPaths(change))
    }
  }
}
