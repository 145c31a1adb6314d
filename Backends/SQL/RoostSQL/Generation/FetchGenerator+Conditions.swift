// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

extension FetchGenerator {
  /// Generates a condition.
  mutating func condition(_ predicate: ResolvedPredicate) throws -> SQLCondition {
    depth += 1
    defer { depth -= 1 }
    guard depth <= dialect.depthLimit else {
      throw PersistenceError(
        .limitExceeded, "A condition is nested more than \(dialect.depthLimit) levels deep.")
    }
    let before = self
    let result: SQLCondition
    switch predicate {
    case .constant(let truth): result = truth ? .always : .never
    case .comparison(let comparison): result = try condition(comparison)
    case .and(let parts): result = try conjunction(parts)
    case .or(let parts): result = try disjunction(parts)
    case .not(let part): result = try condition(part).negated
    }
    // The parameters and joins of a constant condition are dropped again.
    if result == .always || result == .never { self = before }
    return result
  }

  private mutating func conjunction(_ parts: [ResolvedPredicate]) throws -> SQLCondition {
    let flat = Self.flattened(parts) { if case .and(let inner) = $0 { inner } else { nil } }
    var conditions: [SQLCondition] = []
    for part in flat {
      let condition = try condition(part)
      if condition == .never { return .never }
      if condition != .always { conditions.append(condition) }
    }
    return Self.joined(conditions, by: "AND", empty: .always)
  }

  private mutating func disjunction(_ parts: [ResolvedPredicate]) throws -> SQLCondition {
    let flat = Self.flattened(parts) { if case .or(let inner) = $0 { inner } else { nil } }
    var conditions: [SQLCondition] = []
    for part in flat {
      let condition = try condition(part)
      if condition == .always { return .always }
      if condition != .never { conditions.append(condition) }
    }
    return Self.joined(conditions, by: "OR", empty: .never)
  }

  private static func joined(
    _ conditions: [SQLCondition], by connective: String, empty: SQLCondition
  ) -> SQLCondition {
    guard conditions.count > 1 else { return conditions.first ?? empty }
    let text = "(" + joined(conditions.map(\.text), by: connective) + ")"
    return SQLCondition(text: text, isTwoValued: conditions.allSatisfy(\.isTwoValued))
  }

  /// Returns the operands of one connective, with nested connectives of the same kind flattened.
  private static func flattened(
    _ parts: [ResolvedPredicate], inner: (ResolvedPredicate) -> [ResolvedPredicate]?
  ) -> [ResolvedPredicate] {
    var result: [ResolvedPredicate] = []
    var stack = Array(parts.reversed())
    while let next = stack.popLast() {
      if let nested = inner(next) {
        stack.append(contentsOf: nested.reversed())
      } else {
        result.append(next)
      }
    }
    return result
  }
}

// MARK: - Comparisons

extension FetchGenerator {
  private mutating func condition(_ comparison: ResolvedComparison) throws -> SQLCondition {
    if comparison.options.contains(.localeSensitive) {
      throw LeftToMemory("a comparison that depends on the locale")
    }
    // ANY and ALL of one value are that value.
    if comparison.modifier != .direct, case .path(let path) = comparison.left, path.isToMany {
      return try quantified(comparison, over: path)
    }
    return try directCondition(comparison)
  }

  private mutating func directCondition(_ comparison: ResolvedComparison) throws -> SQLCondition {
    if comparison.comparison == .in, case .path(let path) = comparison.right, path.isToMany {
      return try membership(of: comparison.left, in: path, options: comparison.options)
    }
    if comparison.comparison == .contains, case .path(let path) = comparison.left, path.isToMany {
      return try membership(of: comparison.right, in: path, options: comparison.options)
    }
    let left = try term(comparison.left)
    let right = try term(comparison.right)
    return try compare(left, comparison.comparison, right, comparison.options)
  }

  /// `ANY path op right` and `ALL path op right`.
  private mutating func quantified(
    _ comparison: ResolvedComparison, over path: ResolvedPath
  ) throws -> SQLCondition {
    let members = try openMembers(path)
    let left = try operand(path, in: members.scope, from: members.rest)
    let right = try term(comparison.right)
    let condition = try compare(
      .operand(left), comparison.comparison, right, comparison.options)
    if comparison.modifier == .any {
      return .twoValued("EXISTS (SELECT 1" + closeMembers(members, where: condition.text) + ")")
    }
    let opposite = condition.negated
    return .twoValued("NOT EXISTS (SELECT 1" + closeMembers(members, where: opposite.text) + ")")
  }

  /// `element IN path`: a member of the path is the element.
  private mutating func membership(
    of element: ResolvedExpression, in path: ResolvedPath, options: ComparisonPredicate.Options
  ) throws -> SQLCondition {
    let element = try term(element)
    let members = try openMembers(path)
    let member = try operand(path, in: members.scope, from: members.rest)
    let condition = try compare(.operand(member), .equalTo, element, options)
    return .twoValued("EXISTS (SELECT 1" + closeMembers(members, where: condition.text) + ")")
  }

  private mutating func compare(
    _ left: SQLTerm, _ comparison: ComparisonPredicate.Comparison, _ right: SQLTerm,
    _ options: ComparisonPredicate.Options
  ) throws -> SQLCondition {
    switch (left, right) {
    case (.operand(let operand), .constant(let value)):
      noteIndex(operand, comparison, options)
      return try compare(operand, comparison, value, options)
    case (.constant(let value), .operand(let operand)):
      guard let mirrored = comparison.mirrored else {
        return try compareText(
          textOperand(value), comparison, .operand(operand), options)
      }
      noteIndex(operand, mirrored, options)
      return try compare(operand, mirrored, value, options)
    case (.operand(let left), .operand(let right)):
      return try compare(left, comparison, right, options)
    case (.operand(let operand), .list(let values)):
      noteIndex(operand, comparison, options)
      return try compare(operand, comparison, values, options)
    case (.operand(let operand), .entities(let codes)),
      (.entities(let codes), .operand(let operand)):
      return try compare(operand, comparison, entities: codes)
    default:
      throw LeftToMemory("a comparison of constants")
    }
  }

  /// Records that an index can serve a comparison.
  private mutating func noteIndex(
    _ operand: SQLOperand, _ comparison: ComparisonPredicate.Comparison,
    _ options: ComparisonPredicate.Options
  ) {
    guard operand.isIndexed, depth == 1, !options.folds else { return }
    switch comparison {
    case .equalTo, .in, .between, .beginsWith, .lessThan, .lessThanOrEqualTo, .greaterThan,
      .greaterThanOrEqualTo:
      usesIndexedColumn = true
    default: break
    }
  }

  private func compare(
    _ operand: SQLOperand, _ comparison: ComparisonPredicate.Comparison, entities codes: [Int]
  ) throws -> SQLCondition {
    guard operand.kind == .entity else { throw LeftToMemory("an entity compared with a value") }
    let list = codes.map(String.init).joined(separator: ", ")
    let isOne = codes.isEmpty ? SQLCondition.never : .nullable("\(operand.text) IN (\(list))")
    switch comparison {
    case .equalTo, .in: return isOne
    case .notEqualTo: return isOne.negated
    default: throw LeftToMemory("an order of entities")
    }
  }
}

extension ComparisonPredicate.Options {
  /// Whether strings are folded before they are compared.
  var folds: Bool { contains(.caseInsensitive) || contains(.diacriticInsensitive) }

  /// The options that the shared folding supports.
  var folding: ComparisonPredicate.Options {
    intersection([.caseInsensitive, .diacriticInsensitive])
  }
}

extension ComparisonPredicate.Comparison {
  /// The comparison with its sides exchanged; nil where there is none.
  var mirrored: Self? {
    switch self {
    case .equalTo, .notEqualTo: self
    case .lessThan: .greaterThan
    case .lessThanOrEqualTo: .greaterThanOrEqualTo
    case .greaterThan: .lessThan
    case .greaterThanOrEqualTo: .lessThanOrEqualTo
    default: nil
    }
  }

  /// The operator of an ordered comparison.
  var orderOperator: String? {
    switch self {
    case .lessThan: "<"
    case .lessThanOrEqualTo: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqualTo: ">="
    default: nil
    }
  }
}
