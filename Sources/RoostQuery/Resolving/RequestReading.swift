// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The values of a request, and a hash of its structure, read in one pass.
///
/// It supports plain requests only: objects, IDs or a count, with comparisons of key paths with non-nil values. Other
/// requests are resolved each time.
struct RequestReading {
  /// The values in the condition, from left to right.
  private(set) var values: [Value] = []
  /// The hash of the structure, equal for equal structures.
  private(set) var hash = 0

  private var hasher = Hasher()

  /// The limits for cached requests: the nesting depth of the condition, and its number of values.
  private static let depthLimit = 16
  private static let valueLimit = 64

  /// Reads a request; nil unless it is plain.
  init?(_ criteria: borrowing FetchCriteria) {
    guard criteria.resultType != .dictionaryResultType, criteria.propertiesToFetch == nil,
      criteria.propertiesToGroupBy == nil, criteria.havingPredicate == nil,
      criteria.refusedKeyPaths.isEmpty, !criteria.namedColumnsTooEarly,
      criteria.fetchLimit >= 0, criteria.fetchOffset >= 0, criteria.fetchBatchSize >= 0
    else { return nil }
    if let entity = criteria.entity {
      hasher.combine(ObjectIdentifier(entity))
    } else {
      hasher.combine(criteria.entityName)
    }
    hasher.combine(criteria.resultType.rawValue)
    for step in criteria.sortDescriptors ?? [] {
      guard step.refusal == nil else { return nil }
      hasher.combine(step.key)
      hasher.combine(step.ascending)
    }
    if let predicate = criteria.predicate {
      guard read(predicate, depth: 0), values.count <= Self.valueLimit else { return nil }
    }
    hash = hasher.finalize()
  }

  private mutating func read(_ predicate: FetchPredicate, depth: Int) -> Bool {
    guard depth < Self.depthLimit else { return false }
    switch predicate {
    case .constant: return false
    case .comparison(let comparison): return read(comparison)
    case .and(let parts), .or(let parts):
      hasher.combine(parts.count)
      for part in parts where !read(part, depth: depth + 1) { return false }
      return true
    case .not(let part):
      hasher.combine(true)
      return read(part, depth: depth + 1)
    }
  }

  private mutating func read(_ comparison: ComparisonPredicate) -> Bool {
    switch comparison.comparison {
    case .like, .matches, .search: return false
    case .equalTo: break
    default: hasher.combine(comparison.comparison)
    }
    return read(comparison.left) && read(comparison.right)
  }

  private mutating func read(_ expression: FetchExpression) -> Bool {
    switch expression {
    case .evaluatedObject: return true
    case .keyPath(let steps):
      for step in steps { hasher.combine(step) }
      return true
    case .constant(let value): return read(value)
    case .list(let members):
      hasher.combine(members.count)
      for member in members {
        guard case .constant(let value) = member, read(value) else { return false }
      }
      return true
    default: return false
    }
  }

  private mutating func read(_ value: Value) -> Bool {
    switch value {
    case .null, .composite, .transformable: return false
    case .list(let values):
      hasher.combine(values.count)
      for value in values {
        if case .list = value { return false }
        guard read(value) else { return false }
      }
      return true
    default:
      hasher.combine(value.kind)
      values.append(value)
      return true
    }
  }
}

// MARK: - Comparing

extension FetchCriteria {
  /// Whether two plain requests differ only in values, limit and offset.
  borrowing func hasStructure(of known: ResolvedRequests.Entry) -> Bool {
    let other = known.criteria
    guard entity === other.entity, entityName == other.entityName,
      resultType == other.resultType, includesSubentities == other.includesSubentities
    else { return false }
    let (sort, otherSort) = (sortDescriptors ?? [], other.sortDescriptors ?? [])
    guard sort.count == otherSort.count, sort == otherSort else { return false }
    switch (predicate, other.predicate) {
    case (nil, nil): return true
    case (let predicate?, let other?): return predicate.hasStructure(of: other)
    default: return false
    }
  }
}

extension FetchPredicate {
  /// Whether two plain conditions differ only in values. It recurses to the depth of the tree, which was checked.
  fileprivate func hasStructure(of other: FetchPredicate) -> Bool {
    switch (self, other) {
    case (.comparison(let one), .comparison(let other)):
      one.comparison == other.comparison && one.modifier == other.modifier
        && one.options == other.options && one.left.hasStructure(of: other.left)
        && one.right.hasStructure(of: other.right)
    case (.and(let parts), .and(let others)), (.or(let parts), .or(let others)):
      parts.count == others.count && zip(parts, others).allSatisfy { $0.hasStructure(of: $1) }
    case (.not(let part), .not(let other)): part.hasStructure(of: other)
    default: false
    }
  }
}

// Recursive by the depth of the tree, which was checked.
extension FetchPredicate {
  /// The condition with its values replaced by small values of the same kinds.
  var withoutValues: FetchPredicate {
    switch self {
    case .constant: return self
    case .comparison(var comparison):
      comparison.left = comparison.left.withoutValues
      comparison.right = comparison.right.withoutValues
      return .comparison(comparison)
    case .and(let parts): return .and(parts.map(\.withoutValues))
    case .or(let parts): return .or(parts.map(\.withoutValues))
    case .not(let part): return .not(part.withoutValues)
    }
  }
}

extension FetchExpression {
  fileprivate var withoutValues: FetchExpression {
    switch self {
    case .constant(let value): .constant(value.smallOne)
    case .list(let members): .list(members.map(\.withoutValues))
    default: self
    }
  }

  fileprivate func hasStructure(of other: FetchExpression) -> Bool {
    switch (self, other) {
    case (.evaluatedObject, .evaluatedObject): true
    case (.keyPath(let steps), .keyPath(let others)): steps == others
    case (.constant(let value), .constant(let other)): value.hasKind(of: other)
    case (.list(let members), .list(let others)):
      members.count == others.count
        && zip(members, others).allSatisfy { $0.hasStructure(of: $1) }
    default: false
    }
  }
}

extension Value {
  /// Whether two non-nil values are of the same case; for lists, whether their members are.
  fileprivate func hasKind(of other: Value) -> Bool {
    guard case .list(let values) = self, case .list(let others) = other else {
      return kind == other.kind
    }
    return values.count == others.count && zip(values, others).allSatisfy { $0.hasKind(of: $1) }
  }

  /// A small value of the same kind; for a list, with small members.
  fileprivate var smallOne: Value {
    switch self {
    case .string: .string("")
    case .data: .data(Data())
    case .list(let values): .list(values.map(\.smallOne))
    default: self
    }
  }

  /// The number of the value's case.
  fileprivate var kind: UInt8 {
    switch self {
    case .null: 0
    case .integer: 1
    case .double: 2
    case .boolean: 3
    case .string: 4
    case .date: 5
    case .data: 6
    case .uuid: 7
    case .uri: 8
    case .decimal: 9
    case .objectID: 10
    case .transformable: 11
    case .list: 12
    case .composite: 13
    }
  }
}
