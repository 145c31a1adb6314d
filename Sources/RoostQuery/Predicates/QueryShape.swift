// SPDX-License-Identifier: Apache-2.0

/// The depth and size of a tree, measured without recursion, so that it works for trees of any depth.
struct QueryShape {
  /// The depth in nodes; key paths, constants and variables add none.
  private(set) var depth = 0
  private(set) var nodeCount = 0

  init(of predicate: FetchPredicate) {
    measure([(.predicate(predicate), 1)])
  }

  init(of expression: FetchExpression) {
    measure([(.expression(expression), 0)])
  }

  /// Whether the tree is within ``QueryLimits``.
  var isAllowed: Bool {
    depth <= QueryLimits.maximumDepth && nodeCount <= QueryLimits.maximumNodeCount
  }

  private enum Node {
    case predicate(FetchPredicate)
    case expression(FetchExpression)
  }

  private mutating func measure(_ roots: [(Node, Int)]) {
    var stack = roots
    while let (node, level) = stack.popLast() {
      nodeCount += 1
      depth = max(depth, level)
      switch node {
      case .predicate(let predicate): Self.push(predicate, level, &stack)
      case .expression(let expression):
        let added = Self.push(expression, level, &stack)
        depth = max(depth, level + added)
      }
    }
  }

  private static func push(_ predicate: FetchPredicate, _ level: Int, _ stack: inout [(Node, Int)])
  {
    switch predicate {
    case .constant: break
    case .comparison(let comparison):
      stack.append((.expression(comparison.left), level))
      stack.append((.expression(comparison.right), level))
    case .and(let operands), .or(let operands):
      for operand in operands { stack.append((.predicate(operand), level + 1)) }
    case .not(let operand): stack.append((.predicate(operand), level + 1))
    }
  }

  /// Returns the level that the node itself adds.
  private static func push(
    _ expression: FetchExpression, _ level: Int, _ stack: inout [(Node, Int)]
  ) -> Int {
    switch expression {
    case .constant, .nullObject, .refused, .evaluatedObject, .keyPath, .variable: return 0
    case .keyPathOf(let base, _):
      stack.append((.expression(base), level + 1))
    case .list(let members), .function(_, let members):
      for member in members { stack.append((.expression(member), level + 1)) }
    case .subquery(let collection, _, let condition):
      stack.append((.expression(collection), level + 1))
      stack.append((.predicate(condition), level + 2))
    case .conditional(let condition, let first, let second):
      stack.append((.predicate(condition), level + 2))
      stack.append((.expression(first), level + 1))
      stack.append((.expression(second), level + 1))
    }
    return 1
  }
}
