// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Normalisation of comparisons: a path is on the left where possible, a quantifier only applies to a to-many path,
// and constants have the type they are compared with.
extension PredicateResolver {
  typealias Comparison = ComparisonPredicate.Comparison

  /// A comparison during normalisation.
  struct Draft {
    var left: Typed
    var comparison: Comparison
    var right: Typed
    var modifier: ComparisonPredicate.Modifier
    var options: ComparisonPredicate.Options
  }

  mutating func comparison(_ predicate: ComparisonPredicate) throws -> ResolvedPredicate {
    if let result = try entityComparison(predicate) { return result }
    if let result = try compositeComparison(predicate) { return result }
    var draft = Draft(
      left: try expression(predicate.left), comparison: predicate.comparison,
      right: try expression(predicate.right), modifier: predicate.modifier,
      options: predicate.options.subtracting(.normalized))
    openCollections(&draft)
    try membership(&draft)
    if let result = try listOnTheLeft(draft) { return result }
    try flip(&draft)
    if !draft.left.isToMany { draft.modifier = .direct }
    guard !draft.left.isToMany || draft.modifier != .direct else {
      throw invalid("“\(draft.left.key ?? "")” has many values: say ANY or ALL")
    }
    guard !draft.right.isToMany else {
      throw invalid("“\(draft.right.key ?? "")” has many values and cannot stand on the right")
    }
    return try finish(draft)
  }

  // MARK: Normal form

  /// Replaces attributes that hold collections by their elements, where the comparison is about these: after `ANY` and
  /// `ALL`, on the left of `CONTAINS` and on the right of `IN`. Other comparisons are about the collection as a whole.
  private func openCollections(_ draft: inout Draft) {
    if draft.modifier != .direct || draft.comparison == .contains {
      draft.left = draft.left.elements ?? draft.left
    }
    if draft.modifier != .direct || draft.comparison == .in {
      draft.right = draft.right.elements ?? draft.right
    }
  }

  /// Rewrites `people CONTAINS x`, `x IN people` and `'a' IN name` to their normal form.
  private func membership(_ draft: inout Draft) throws {
    if draft.comparison == .contains, draft.left.isToMany, draft.modifier == .direct {
      draft.comparison = .equalTo
      draft.modifier = .any
    } else if draft.comparison == .in, draft.right.members == nil {
      if draft.right.isToMany {
        guard draft.modifier == .direct || !draft.left.isToMany else {
          throw invalid("IN cannot compare two to-many key paths: use a SUBQUERY")
        }
        let isList = draft.left.members != nil
        (draft.left, draft.right) = (draft.right, draft.left)
        draft.comparison = .equalTo
        if !isList { draft.modifier = .any }
      } else if draft.right.type == .string {
        (draft.left, draft.right) = (draft.right, draft.left)
        draft.comparison = .contains
      } else if draft.right.constant?.isNull ?? false {
        draft.right = Typed(expression: .list([]), type: .unknown, members: [])
      } else {
        throw invalid("IN needs a list on its right side")
      }
    }
  }

  /// Expands `ALL {1, 2} IN numbers` to one comparison per list member.
  private mutating func listOnTheLeft(_ draft: Draft) throws -> ResolvedPredicate? {
    let isSwapped =
      draft.left.isToMany && draft.right.members != nil && draft.comparison == .equalTo
    guard let members = isSwapped ? draft.right.members : draft.left.members else { return nil }
    guard draft.modifier != .direct else {
      throw invalid("a list stands on the right of IN or BETWEEN, or after ANY or ALL")
    }
    var results: [ResolvedPredicate] = []
    for member in members {
      var single = draft
      if isSwapped {
        single.right = member
        single.modifier = .any
      } else {
        single.left = member
        single.modifier = .direct
      }
      results.append(try finish(single))
    }
    return draft.modifier == .all ? .and(results) : .or(results)
  }

  private func flip(_ draft: inout Draft) throws {
    let leftIsPath = draft.left.path != nil
    let mustFlip =
      draft.right.path != nil && (!leftIsPath || (draft.right.isToMany && !draft.left.isToMany))
    guard mustFlip, let flipped = draft.comparison.flipped else { return }
    (draft.left, draft.right) = (draft.right, draft.left)
    draft.comparison = flipped
  }

  // MARK: By kind of comparison

  private func finish(_ draft: Draft) throws -> ResolvedPredicate {
    var draft = draft
    if draft.left.type != .string && draft.left.type != .unknown { draft.options = [] }
    switch draft.comparison {
    case .contains, .beginsWith, .endsWith, .like, .matches: return try textComparison(draft)
    case .search: return try searchComparison(draft)
    case .in: return try inComparison(draft)
    case .between: return try betweenComparison(draft)
    default: return try orderComparison(draft)
    }
  }

  private func textComparison(_ draft: Draft) throws -> ResolvedPredicate {
    for side in [draft.left, draft.right] where side.type != .string && side.type != .unknown {
      throw mismatch(
        "\(draft.comparison.rawValue) compares strings, \(describe(side))", key: draft.left.key)
    }
    if let constant = draft.right.constant {
      guard case .string(let pattern) = constant else { return never(draft) }
      // An invalid pattern is refused here, independent of the store.
      _ = try StringMatcher(draft.comparison, pattern, options: draft.options)
    }
    return try made(draft, draft.comparison, draft.right.expression)
  }

  /// Resolves a search. Options for case and diacritics are redundant, because a search ignores both anyway.
  private func searchComparison(_ draft: Draft) throws -> ResolvedPredicate {
    guard !draft.options.contains(.localeSensitive) else {
      throw invalid("SEARCH is the same in every locale: leave out [l]")
    }
    guard draft.right.constant != nil else {
      throw invalid("the words of a SEARCH are a constant on its right side")
    }
    var draft = draft
    draft.options = []
    return try textComparison(draft)
  }

  private func orderComparison(_ draft: Draft) throws -> ResolvedPredicate {
    let isEquality = draft.comparison == .equalTo || draft.comparison == .notEqualTo
    guard draft.right.members == nil else { throw invalid("a list stands on the right of IN") }
    if let constant = draft.right.constant {
      if constant.isNull {
        return isEquality ? try made(draft, draft.comparison, .constant(.null)) : never(draft)
      }
      try checkOrder(draft, isEquality)
      guard let typed = typed(constant, for: draft.left) else {
        throw mismatch(
          "\(describe(draft.left)) is compared with \(draft.right.type.name)", key: draft.left.key)
      }
      return try comparison(draft, with: typed)
    }
    try checkOrder(draft, isEquality)
    guard draft.left.type.isComparable(with: draft.right.type) else {
      throw mismatch(
        "\(describe(draft.left)) is compared with \(describe(draft.right))", key: draft.left.key)
    }
    return try made(draft, draft.comparison, draft.right.expression)
  }

  private func checkOrder(_ draft: Draft, _ isEquality: Bool) throws {
    if isEquality || (draft.left.type.isOrdered && draft.right.type.isOrdered) { return }
    // The object itself is ordered by the tie-breaker.
    if draft.left.isObjectItself, case .objectID = draft.right.constant { return }
    throw invalid("\(describe(draft.left)) has no order: compare with == or IN")
  }

  /// Resolves a comparison with a constant that may not be representable in the left side's type.
  private func comparison(_ draft: Draft, with constant: TypedConstant) throws -> ResolvedPredicate
  {
    switch constant {
    case .value(let value): return try made(draft, draft.comparison, .constant(value))
    case .between(let lower, let upper):
      switch draft.comparison {
      case .equalTo: return never(draft)
      case .notEqualTo: return always(draft)
      case .lessThan, .lessThanOrEqualTo:
        return try made(draft, .lessThanOrEqualTo, .constant(lower))
      default: return try made(draft, .greaterThanOrEqualTo, .constant(upper))
      }
    case .aboveAll, .belowAll:
      let isAbove = if case .aboveAll = constant { true } else { false }
      switch draft.comparison {
      case .equalTo: return never(draft)
      case .notEqualTo: return always(draft)
      case .lessThan, .lessThanOrEqualTo:
        return isAbove ? try made(draft, .notEqualTo, .constant(.null)) : never(draft)
      default: return isAbove ? never(draft) : try made(draft, .notEqualTo, .constant(.null))
      }
    }
  }

  // MARK: Results

  /// Returns the comparison, or its result for two constants.
  func made(
    _ draft: Draft, _ comparison: Comparison, _ right: ResolvedExpression
  ) throws -> ResolvedPredicate {
    if let left = draft.left.constant {
      let compiler = ValueTestCompiler(comparison: comparison, options: draft.options)
      switch right {
      case .constant(let value):
        return .constant(try compiler.throwingTest(with: .value(value))(left))
      case .list(let values): return .constant(try compiler.test(with: .list(values))(left))
      default: break
      }
    }
    return .comparison(
      ResolvedComparison(
        left: draft.left.expression, comparison: comparison, right: right,
        modifier: draft.modifier, options: draft.options))
  }

  /// Returns a condition that no value satisfies; `ALL` of no values still holds.
  func never(_ draft: Draft) -> ResolvedPredicate {
    draft.modifier == .all ? allInNothing(draft) : .constant(false)
  }

  /// Returns a condition that every value satisfies, including nil; `ANY` of no values still fails.
  private func always(_ draft: Draft) -> ResolvedPredicate {
    draft.modifier == .any ? .not(allInNothing(draft)) : .constant(true)
  }

  private func allInNothing(_ draft: Draft) -> ResolvedPredicate {
    .comparison(
      ResolvedComparison(
        left: draft.left.expression, comparison: .in, right: .list([]), modifier: .all))
  }

  func describe(_ typed: Typed) -> String {
    typed.key.map { "“\($0)”, \(typed.type.name)," } ?? typed.type.name
  }
}

extension ComparisonPredicate.Comparison {
  /// The comparison with exchanged sides; nil when there is none.
  var flipped: ComparisonPredicate.Comparison? {
    switch self {
    case .equalTo, .notEqualTo: self
    case .lessThan: .greaterThan
    case .lessThanOrEqualTo: .greaterThanOrEqualTo
    case .greaterThan: .lessThan
    case .greaterThanOrEqualTo: .lessThanOrEqualTo
    default: nil
    }
  }
}
