// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A comparison of two values in memory. Incomparable values are unequal and unordered.
struct PlainComparison {
  let comparison: ComparisonPredicate.Comparison
  let options: ComparisonPredicate.Options

  func holds(_ left: PlainValue, _ right: PlainValue) throws -> Bool {
    switch comparison {
    case .equalTo: try areEqual(left, right)
    case .notEqualTo: try !areEqual(left, right)
    case .in: try isMember(left, of: right)
    case .contains: try contains(left, right)
    case .between: try isBetween(left, right)
    default: try isRelated(left, comparison, right)
    }
  }

  /// Whether two values satisfy an ordering comparison, or a text matches a pattern.
  private func isRelated(
    _ left: PlainValue, _ comparison: ComparisonPredicate.Comparison, _ right: PlainValue
  ) throws -> Bool {
    guard case .value(let first) = left, case .value(let second) = right else { return false }
    if case .string(let text) = first, case .string(let pattern) = second {
      return try StringMatcher(comparison, pattern, options: options).matches(text)
    }
    return ValueComparison.compare(first, second).map(comparison.accepts) ?? false
  }

  private func areEqual(_ left: PlainValue, _ right: PlainValue) throws -> Bool {
    switch (left, right) {
    case (.value(.string), .value(.string)): return try isRelated(left, .equalTo, right)
    case (.value(let left), .value(let right)): return ValueComparison.areEqual(left, right)
    case (.list(let left, let isOrdered), .list(let right, let other)):
      guard left.count == right.count else { return false }
      if isOrdered && other { return try zip(left, right).allSatisfy(areEqual) }
      return try left.allSatisfy { member in try right.contains { try areEqual(member, $0) } }
        && right.allSatisfy { member in try left.contains { try areEqual(member, $0) } }
    case (.object(let left), .object(let right)):
      guard let left = left as? any Hashable, let right = right as? any Hashable else {
        return false
      }
      return AnyHashable(left) == AnyHashable(right)
    case (.object(let object), .value(.objectID(let id))),
      (.value(.objectID(let id)), .object(let object)):
      return (object as? any ObjectIDConvertible)?.objectID.current == id.current
    default: return false
    }
  }

  private func isMember(_ left: PlainValue, of right: PlainValue) throws -> Bool {
    switch right {
    case .list(let members, _): try members.contains { try areEqual(left, $0) }
    case .value(.string): try isRelated(right, .contains, left)
    case .object(let dictionary as [AnyHashable: Any]):
      try dictionary.values.contains { try areEqual(left, PlainValue($0)) }
    default: false
    }
  }

  private func contains(_ left: PlainValue, _ right: PlainValue) throws -> Bool {
    guard case .list(let members, _) = left else { return try isRelated(left, .contains, right) }
    return try members.contains { try areEqual($0, right) }
  }

  private func isBetween(_ left: PlainValue, _ right: PlainValue) throws -> Bool {
    guard case .list(let bounds, _) = right, bounds.count == 2 else { return false }
    return try isRelated(left, .greaterThanOrEqualTo, bounds[0])
      && isRelated(left, .lessThanOrEqualTo, bounds[1])
  }
}
