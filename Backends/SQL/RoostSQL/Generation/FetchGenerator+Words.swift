// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// The index of the words of an operand.
struct SQLWordAccess {
  let index: SQLWordIndex
  /// The alias of the operand's table.
  let alias: String
}

extension FetchGenerator {
  /// Returns a condition that is true for all records for which a condition is true that is left to memory, by the
  /// indexes of the words that it searches; nil when there is none.
  mutating func narrowing(_ predicate: ResolvedPredicate) throws -> String? {
    guard !schema.wordIndexes.isEmpty else { return nil }
    depth += 1
    defer { depth -= 1 }
    guard depth <= dialect.depthLimit else { return nil }
    switch predicate {
    case .comparison(let comparison):
      guard comparison.comparison == .search, comparison.modifier == .direct,
        case .path(let path) = comparison.left, !path.isToMany,
        case .constant(.string(let text)) = comparison.right
      else { return nil }
      var attempt = self
      guard let operand = try? attempt.operand(path),
        let condition = attempt.candidates(operand, SearchQuery(text))
      else { return nil }
      self = attempt
      return condition
    case .and(let parts):
      let narrowings = try parts.compactMap { try narrowing($0) }
      return narrowings.isEmpty ? nil : "(" + Self.joined(narrowings, by: "AND") + ")"
    case .or(let parts):
      var attempt = self
      let narrowings = try parts.compactMap { try attempt.narrowing($0) }
      guard !narrowings.isEmpty, narrowings.count == parts.count else { return nil }
      self = attempt
      return "(" + Self.joined(narrowings, by: "OR") + ")"
    case .constant, .not: return nil
    }
  }

  /// Returns the condition that a text may match a search; nil when no index has its words.
  mutating func candidates(_ text: SQLOperand, _ query: SearchQuery) -> String? {
    guard let words = text.words, !query.isEmpty else { return nil }
    if depth == 1, words.alias == scopes[0].alias { usesIndexedColumn = true }
    return words.index.candidates(words.alias, bind(.text(words.index.query(query))))
  }
}
