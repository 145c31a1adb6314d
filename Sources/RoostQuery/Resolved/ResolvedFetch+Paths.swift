// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ResolvedFetch {
  /// Calls a body with every key path of the condition, the order and the columns.
  package func forEachPath(_ body: (ResolvedPath) -> Void) {
    predicate?.forEachPath(body)
    for step in sort { body(step.path) }
    if case .columns(let columns) = result { columns.forEachPath(body) }
  }
}

extension ResolvedColumns {
  /// Calls a body with every key path of the columns, the groups and the condition on them.
  package func forEachPath(_ body: (ResolvedPath) -> Void) {
    for column in columns { column.expression.forEachPath(body) }
    for expression in groupBy { expression.forEachPath(body) }
    having?.forEachPath(body)
  }
}

// Recursive by the depth of the tree, which was checked.
extension ResolvedPredicate {
  /// Calls a body with every key path of the condition.
  package func forEachPath(_ body: (ResolvedPath) -> Void) {
    switch self {
    case .constant: break
    case .comparison(let comparison):
      comparison.left.forEachPath(body)
      comparison.right.forEachPath(body)
    case .and(let parts), .or(let parts): for part in parts { part.forEachPath(body) }
    case .not(let part): part.forEachPath(body)
    }
  }
}

extension ResolvedExpression {
  /// Calls a body with every key path of the expression.
  package func forEachPath(_ body: (ResolvedPath) -> Void) {
    switch self {
    case .constant, .list, .entity, .entities: break
    case .path(let path), .aggregate(_, let path): body(path)
    case .subqueryCount(let path, _, let predicate):
      body(path)
      predicate.forEachPath(body)
    case .function(_, let operands): for operand in operands { operand.forEachPath(body) }
    case .conditional(let predicate, let left, let right):
      predicate.forEachPath(body)
      left.forEachPath(body)
      right.forEachPath(body)
    }
  }
}
