// SPDX-License-Identifier: Apache-2.0

import RoostModel

// IN, BETWEEN and entities.
extension PredicateResolver {
  func inComparison(_ draft: Draft) throws -> ResolvedPredicate {
    guard let members = draft.right.members else {
      throw invalid("IN needs a list on its right side")
    }
    guard members.allSatisfy({ $0.constant != nil }) else {
      return try alternatives(draft, members)
    }
    var values: [Value] = []
    values.reserveCapacity(members.count)
    for member in members {
      guard let constant = member.constant else { continue }
      if constant.isNull {
        values.append(.null)
        continue
      }
      guard let typed = typed(constant, for: draft.left) else {
        throw mismatch(
          "\(describe(draft.left)) is compared with \(member.type.name)", key: draft.left.key)
      }
      // A value that the type cannot represent equals nothing.
      if case .value(let value) = typed { values.append(value) }
    }
    return try made(draft, .in, .list(values))
  }

  /// Resolves IN with members that are not constant: one comparison each.
  private func alternatives(_ draft: Draft, _ members: [Typed]) throws -> ResolvedPredicate {
    guard draft.modifier != .all else {
      throw invalid("ALL with IN needs a list of constants")
    }
    return .or(
      try members.map { member in
        guard !member.isToMany, draft.left.type.isComparable(with: member.type) else {
          throw mismatch(
            "\(describe(draft.left)) is compared with \(describe(member))", key: draft.left.key)
        }
        var single = draft
        single.comparison = .equalTo
        single.right = member
        return try equality(single)
      })
  }

  private func equality(_ draft: Draft) throws -> ResolvedPredicate {
    guard let constant = draft.right.constant, !constant.isNull else {
      return try made(draft, .equalTo, draft.right.expression)
    }
    guard case .value(let value)? = typed(constant, for: draft.left) else {
      return never(draft)
    }
    return try made(draft, .equalTo, .constant(value))
  }

  func betweenComparison(_ draft: Draft) throws -> ResolvedPredicate {
    guard let bounds = draft.right.members, bounds.count == 2 else {
      throw invalid("BETWEEN needs a list of two bounds")
    }
    guard draft.left.type.isOrdered else {
      throw invalid("\(describe(draft.left)) has no order: compare with == or IN")
    }
    guard let lower = bounds[0].constant, let upper = bounds[1].constant else {
      return try computedBounds(draft, bounds)
    }
    if lower.isNull || upper.isNull { return never(draft) }
    guard let low = typed(lower, for: draft.left),
      let high = typed(upper, for: draft.left)
    else {
      throw mismatch(
        "\(describe(draft.left)) is compared with \(bounds[0].type.name)", key: draft.left.key)
    }
    let extremes = draft.left.type.extremes ?? (lower, upper)
    guard let first = low.lowerBound(unbounded: extremes.lowest),
      let last = high.upperBound(unbounded: extremes.highest)
    else { return never(draft) }
    return try made(draft, .between, .list([first, last]))
  }

  private func computedBounds(_ draft: Draft, _ bounds: [Typed]) throws -> ResolvedPredicate {
    guard draft.modifier == .direct else {
      throw invalid("BETWEEN after ANY or ALL needs constant bounds")
    }
    for bound in bounds {
      guard !bound.isToMany, draft.left.type.isComparable(with: bound.type) else {
        throw mismatch(
          "\(describe(draft.left)) is compared with \(describe(bound))", key: draft.left.key)
      }
    }
    return .and([
      try made(draft, .greaterThanOrEqualTo, bounds[0].expression),
      try made(draft, .lessThanOrEqualTo, bounds[1].expression),
    ])
  }

  // MARK: Entities

  /// Resolves `entity == X`, `entity IN {X, Y}`, `boss.entity != X`; nil for other comparisons.
  mutating func entityComparison(_ predicate: ComparisonPredicate) throws -> ResolvedPredicate? {
    guard Self.mayNameEntity(predicate.left) || Self.mayNameEntity(predicate.right) else {
      return nil
    }
    var (left, right) = (predicate.left, predicate.right)
    if !Self.mayNameEntity(left), predicate.comparison.flipped != nil { swap(&left, &right) }
    let typed = try expression(left)
    guard typed.type == .entity, let path = typed.path else { return nil }
    let entities: ResolvedExpression
    switch (predicate.comparison, right) {
    case (.equalTo, _), (.notEqualTo, _):
      let named = try self.entities(named: right)
      guard named.count == 1 else { throw invalid("several entities are compared with IN") }
      entities = .entity(named[0])
    case (.in, _): entities = .entities(try self.entities(named: right))
    default: throw invalid("entities are compared with ==, != and IN only")
    }
    guard !path.isToMany || predicate.modifier != .direct else {
      throw invalid("“\(typed.key ?? "")” has many values: say ANY or ALL")
    }
    return .comparison(
      ResolvedComparison(
        left: typed.expression, comparison: predicate.comparison, right: entities,
        modifier: path.isToMany ? predicate.modifier : .direct))
  }

  private static func mayNameEntity(_ expression: FetchExpression) -> Bool {
    switch expression {
    case .keyPath(let path), .keyPathOf(_, let path): path.contains("entity")
    default: false
    }
  }
}
