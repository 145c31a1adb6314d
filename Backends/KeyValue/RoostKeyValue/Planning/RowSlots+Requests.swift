// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

extension RowSlots {
  /// The slots that a condition uses; all when it refers to other rows.
  init(of predicate: ResolvedPredicate) {
    var collector = SlotCollector()
    collector.open.append(.predicate(predicate))
    self = collector.slots()
  }

  /// The slots from which columns are computed; all when one of them refers to other rows.
  init(of columns: ResolvedColumns) {
    var collector = SlotCollector()
    for expression in columns.columns.map(\.expression) + columns.groupBy {
      collector.open.append(.expression(expression))
    }
    if let having = columns.having { collector.open.append(.predicate(having)) }
    self = collector.slots()
  }

  /// The slots that an order compares; all when it refers to other rows.
  init(of sort: [ResolvedSort]) {
    var collector = SlotCollector()
    for step in sort { collector.open.append(.expression(.path(step.path))) }
    self = collector.slots()
  }
}

/// Walks expressions in a loop, because they may be deep.
private struct SlotCollector {
  enum Node {
    case predicate(ResolvedPredicate)
    case expression(ResolvedExpression)
  }

  var open: [Node] = []
  private var found: Set<Int> = []
  private var isBeyondRow = false

  mutating func slots() -> RowSlots {
    while let node = open.popLast(), !isBeyondRow {
      switch node {
      case .predicate(let predicate): visit(predicate)
      case .expression(let expression): visit(expression)
      }
    }
    return isBeyondRow ? .all : .some(found)
  }

  private mutating func visit(_ predicate: ResolvedPredicate) {
    switch predicate {
    case .constant: break
    case .comparison(let comparison):
      open += [.expression(comparison.left), .expression(comparison.right)]
    case .and(let operands), .or(let operands): open += operands.map { .predicate($0) }
    case .not(let operand): open.append(.predicate(operand))
    }
  }

  private mutating func visit(_ expression: ResolvedExpression) {
    switch expression {
    case .constant, .list, .entity, .entities: break
    case .path(let path): visit(path)
    case .function(_, let operands): open += operands.map { .expression($0) }
    case .conditional(let predicate, let yes, let no):
      open += [.predicate(predicate), .expression(yes), .expression(no)]
    case .aggregate(_, let path): visit(path)
    case .subqueryCount: isBeyondRow = true
    }
  }

  private mutating func visit(_ path: ResolvedPath) {
    guard path.root == .object else {
      isBeyondRow = true
      return
    }
    if let slot = RequestConditions.ownSlot(of: path) {
      found.insert(slot.index)
    } else if path.relationships.isEmpty, path.endGuard == nil,
      case .elements(_, let slot) = path.end
    {
      found.insert(slot.index)
    } else if path.relationships.isEmpty, path.endGuard == nil, case .object = path.end {
      // The row's key is always there.
    } else {
      isBeyondRow = true
    }
  }
}
