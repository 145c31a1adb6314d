// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

// Text comparisons. SQL's LIKE is not used: it ignores the case of ASCII letters and has no escape character by
// default.
extension FetchGenerator {
  /// Returns a constant text as an operand.
  mutating func textOperand(_ value: Value) throws -> SQLOperand {
    guard case .string(let text) = value else { throw LeftToMemory("a value that is no string") }
    return SQLOperand(text: bind(.text(text)), kind: .slot(.string), canBeNull: false)
  }

  mutating func compareText(
    _ left: SQLOperand, _ comparison: ComparisonPredicate.Comparison, _ right: SQLTerm,
    _ options: ComparisonPredicate.Options
  ) throws -> SQLCondition {
    guard left.kind == .slot(.string) else {
      throw LeftToMemory("a string operator on values that are no strings")
    }
    if comparison == .beginsWith, !options.folds, case .constant(.string(let prefix)) = right {
      return prefixRange(left, prefix)
    }
    if [.like, .matches, .search].contains(comparison) {
      return try patternMatch(left, comparison, right, options)
    }
    let pattern: SQLOperand
    switch right {
    case .constant(let value): pattern = try textOperand(value)
    case .operand(let operand) where operand.kind == .slot(.string): pattern = operand
    default: throw LeftToMemory("a string operator on values that are no strings")
    }
    let sides = try folded([left.text, pattern.text], left.kind, options)
    return .nullable(search(sides[0], comparison, sides[1]))
  }

  private func search(
    _ text: String, _ comparison: ComparisonPredicate.Comparison, _ part: String
  ) -> String {
    switch comparison {
    case .beginsWith:
      return "\(dialect.text.position)(\(text), \(part)) = 1"
    case .endsWith:
      // If the part is longer than the text, the substring is the whole text, which is not equal; an empty part is an
      // empty end.
      let length = dialect.text.length
      return
        "\(dialect.functionNames.substring)(\(text), \(length)(\(text)) - \(length)(\(part)) + 1) = \(part)"
    default:
      return "\(dialect.text.position)(\(text), \(part)) > 0"
    }
  }

  private mutating func patternMatch(
    _ left: SQLOperand, _ comparison: ComparisonPredicate.Comparison, _ right: SQLTerm,
    _ options: ComparisonPredicate.Options
  ) throws -> SQLCondition {
    guard dialect.functions.contains(.patterns), case .constant(.string(let pattern)) = right else {
      throw LeftToMemory(
        comparison == .search ? "a search for words" : "a pattern that is no constant")
    }
    // An invalid pattern is refused here, with its own error.
    _ = try StringMatcher(comparison, pattern, options: options)
    let function =
      switch comparison {
      case .like: "roost_like"
      case .search: "roost_search"
      default: "roost_matches"
      }
    let candidates = comparison == .search ? candidates(left, SearchQuery(pattern)) : nil
    let parameter = bind(.text(pattern))
    let test = "\(function)(\(left.text), \(parameter), \(options.folding.rawValue))"
    return .nullable(candidates.map { "(\($0) AND \(test))" } ?? test)
  }

  /// Texts with a prefix are a range in the order of UTF-8 bytes, which an index can serve.
  private mutating func prefixRange(_ operand: SQLOperand, _ prefix: String) -> SQLCondition {
    guard !prefix.isEmpty else { return .twoValued("\(operand.text) IS NOT NULL") }
    let lower = "\(operand.text) >= \(bind(.text(prefix)))"
    guard let end = Self.endOfPrefixRange(prefix) else { return .nullable(lower) }
    return .nullable("(\(lower) AND \(operand.text) < \(bind(.text(end))))")
  }

  /// Returns the first text after all texts with a prefix; nil when there is none.
  static func endOfPrefixRange(_ prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      // The code points in between are surrogates, not scalar values.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        scalars.append(scalar)
        return String(String.UnicodeScalarView(scalars))
      }
    }
    return nil
  }
}
