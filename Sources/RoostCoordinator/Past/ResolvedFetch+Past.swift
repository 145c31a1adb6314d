// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

extension ResolvedFetch {
  /// Whether the answer depends on records other than the requested ones, or on links.
  var looksAtOtherRecords: Bool {
    if predicate?.looksAtOtherRecords ?? false { return true }
    if sort.contains(where: { !$0.path.isOwn }) { return true }
    guard case .columns(let columns) = result else { return false }
    return columns.columns.contains { $0.expression.looksAtOtherRecords }
      || columns.groupBy.contains(where: \.looksAtOtherRecords)
      || columns.having?.looksAtOtherRecords ?? false
  }

  /// Returns the request for the current store: whole rows, including some that will be replaced.
  ///
  /// - Parameters:
  ///   - looksElsewhere: Whether the condition depends on other records, so that the current store cannot evaluate
  ///     it.
  ///   - count: The number of rows that may be replaced, which the limit must allow for.
  func part(looksElsewhere: Bool, besides count: Int) -> ResolvedFetch {
    var part = self
    part.result = .rows
    part.offset = 0
    guard !looksElsewhere else {
      (part.predicate, part.sort, part.limit) = (nil, [], nil)
      return part
    }
    guard let limit, !combinesRows else {
      part.limit = nil
      return part
    }
    part.limit = limit.addingSaturated(offset).addingSaturated(count)
    return part
  }

  /// Whether a row of the answer combines several records.
  var combinesRows: Bool {
    guard case .columns(let columns) = result else { return false }
    return columns.isAggregated || columns.distinct
  }
}

extension ResolvedPath {
  /// Whether the path leads to the record itself, or to one of its attributes.
  fileprivate var isOwn: Bool { relationships.isEmpty }

  /// Whether the path leads to the destination of a to-one relationship, of which only the key is needed.
  fileprivate var isReference: Bool {
    guard case .object = end, relationships.count == 1,
      case .toOne = relationships[0].storage
    else { return false }
    return true
  }
}

// The recursion depth is that of the tree, which was checked.
extension ResolvedPredicate {
  fileprivate var looksAtOtherRecords: Bool {
    switch self {
    case .constant: false
    case .comparison(let comparison): comparison.looksAtOtherRecords
    case .and(let parts), .or(let parts): parts.contains(where: \.looksAtOtherRecords)
    case .not(let part): part.looksAtOtherRecords
    }
  }
}

extension ResolvedComparison {
  fileprivate var looksAtOtherRecords: Bool {
    if comparison == .equalTo, modifier == .direct, case .path(let path) = left, path.isReference,
      case .constant(.objectID) = right
    {
      return false
    }
    return left.looksAtOtherRecords || right.looksAtOtherRecords
  }
}

extension ResolvedExpression {
  fileprivate var looksAtOtherRecords: Bool {
    switch self {
    case .constant, .list, .entity, .entities: false
    case .path(let path), .aggregate(_, let path): !path.isOwn
    case .subqueryCount: true
    case .function(_, let arguments): arguments.contains(where: \.looksAtOtherRecords)
    case .conditional(let condition, let one, let other):
      condition.looksAtOtherRecords || one.looksAtOtherRecords || other.looksAtOtherRecords
    }
  }
}
