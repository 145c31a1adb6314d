// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Infix and prefix operators.
extension FormatParser {
  enum Infix: Equatable {
    case and, or
    case comparison(ComparisonPredicate.Comparison)
    case function(FetchFunction)
  }

  /// Returns the infix operator of the current token.
  @inline(never)
  func infixOperator() -> (Infix, Precedence)? {
    switch token.kind {
    case .symbol(let symbol): Self.infixOperator(symbol)
    // Not a reserved word: formats with a key of this name are older than the operator.
    case .word(let word) where word.utf8.count == 6 && word.uppercased() == "SEARCH":
      (.comparison(.search), .comparison)
    case .word: keyword(token).flatMap(Self.infixOperator)
    default: nil
    }
  }

  @inline(never)
  private static func infixOperator(_ symbol: FormatToken.Symbol) -> (Infix, Precedence)? {
    switch symbol {
    case .and: (.and, .and)
    case .or: (.or, .or)
    case .equal: (.comparison(.equalTo), .comparison)
    case .notEqual: (.comparison(.notEqualTo), .comparison)
    case .less: (.comparison(.lessThan), .comparison)
    case .lessOrEqual: (.comparison(.lessThanOrEqualTo), .comparison)
    case .greater: (.comparison(.greaterThan), .comparison)
    case .greaterOrEqual: (.comparison(.greaterThanOrEqualTo), .comparison)
    case .bitAnd: (.function(.bitwiseAnd), .bitwise)
    case .bitOr: (.function(.bitwiseOr), .bitwise)
    case .bitXor: (.function(.bitwiseXor), .bitwise)
    case .leftShift: (.function(.leftShift), .bitwise)
    case .rightShift: (.function(.rightShift), .bitwise)
    case .plus: (.function(.add), .additive)
    case .minus: (.function(.subtract), .additive)
    case .times: (.function(.multiply), .multiplicative)
    case .divide: (.function(.divide), .multiplicative)
    case .modulus: (.function(.modulus), .multiplicative)
    case .power: (.function(.raise), .power)
    default: nil
    }
  }

  @inline(never)
  private static func infixOperator(_ keyword: String) -> (Infix, Precedence)? {
    switch keyword {
    case "AND": (.and, .and)
    case "OR": (.or, .or)
    case "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES":
      ComparisonPredicate.Comparison(rawValue: keyword).map { (.comparison($0), .comparison) }
    default: nil
    }
  }

  // MARK: Comparisons

  @inline(never)
  mutating func parseComparison(
    _ left: Operand, _ comparison: ComparisonPredicate.Comparison, at offset: Int
  ) throws -> Operand {
    let options = try parseOptions()
    let right = try parse(.bitwise)
    let predicate = ComparisonPredicate(
      try expression(left), comparison, try expression(right), options: options)
    try check(predicate, at: right.offset)
    return try node(
      .comparison(predicate), depth: max(left.depth, right.depth) + 1, at: left.offset)
  }

  /// Parses `[cd]` after a comparison operator.
  @inline(never)
  private mutating func parseOptions() throws -> ComparisonPredicate.Options {
    guard accept(.leftBracket) else { return [] }
    guard case .word(let letters) = token.kind else { throw unexpected("an option as [cd]") }
    var options: ComparisonPredicate.Options = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": options.insert(.normalized)
      case "l": options.insert(.localeSensitive)
      default: throw source.failure("there is no option '\(letter)'", at: token.offset)
      }
    }
    index += 1
    try expect(.rightBracket)
    return options
  }

  /// Checks that need no model.
  @inline(never)
  private func check(_ predicate: ComparisonPredicate, at offset: Int) throws {
    if predicate.comparison == .between, case .list(let bounds) = predicate.right, bounds.count != 2
    {
      throw source.failure("BETWEEN needs two bounds, as {1, 5}", at: offset)
    }
  }

  // MARK: Prefixes

  @inline(never)
  mutating func parsePrefix(_ minimum: Precedence) throws -> Operand {
    let offset = token.offset
    if minimum <= .comparison {
      if token.kind == .symbol(.not) || keyword(token) == "NOT" { return try parseNot(at: offset) }
      if let quantifier = keyword(token), let (modifier, isNegated) = Self.quantifier(quantifier) {
        index += 1
        return try parseQuantified(modifier, isNegated: isNegated, at: offset)
      }
    }
    var signs: [FetchFunction] = []
    while true {
      if accept(.minus) {
        signs.append(.negate)
      } else if accept(.complement) {
        signs.append(.onesComplement)
      } else if accept(.plus) {
        continue
      } else {
        break
      }
    }
    return try parseSigned(signs, at: offset)
  }

  @inline(never)
  private mutating func parseNot(at offset: Int) throws -> Operand {
    var count = 0
    while token.kind == .symbol(.not) || keyword(token) == "NOT" {
      index += 1
      count += 1
    }
    let operand = try parse(.comparison)
    guard operand.depth + count <= QueryLimits.maximumDepth else { throw tooDeep(offset) }
    var predicate = try predicate(operand)
    for _ in 0..<count { predicate = .not(predicate) }
    return try node(predicate, depth: operand.depth + count, at: offset)
  }

  private static func quantifier(
    _ keyword: String
  ) -> (ComparisonPredicate.Modifier, isNegated: Bool)? {
    switch keyword {
    case "ANY", "SOME": (.any, false)
    case "ALL": (.all, false)
    case "NONE": (.any, true)
    default: nil
    }
  }

  @inline(never)
  private mutating func parseQuantified(
    _ modifier: ComparisonPredicate.Modifier, isNegated: Bool, at offset: Int
  ) throws -> Operand {
    let operand = try parse(.comparison)
    guard case .predicate(.comparison(var comparison)) = operand.content,
      comparison.modifier == .direct
    else {
      throw source.failure("a comparison is expected after the quantifier", at: operand.offset)
    }
    comparison.modifier = modifier
    let predicate = FetchPredicate.comparison(comparison)
    return isNegated
      ? try node(.not(predicate), depth: operand.depth + 1, at: offset)
      : try node(predicate, depth: operand.depth, at: offset)
  }

  /// Parses an operand and applies its signs, the innermost one last; the sign of a number literal is part of the
  /// number.
  @inline(never)
  private mutating func parseSigned(_ signs: [FetchFunction], at offset: Int) throws -> Operand {
    var signs = signs
    var operand: Operand
    if token.kind == .smallestInteger {
      guard signs.last == .negate else {
        throw source.failure(
          "the number is too large for an integer; write it with '.0'", at: token.offset)
      }
      index += 1
      signs.removeLast()
      operand = try node(.constant(.integer(.min)), depth: 0, at: offset)
    } else {
      operand = try parsePostfix()
      while signs.last == .negate, let negated = Self.negated(operand) {
        signs.removeLast()
        operand = try node(.constant(negated), depth: 0, at: offset)
      }
    }
    while let sign = signs.popLast() {
      operand = try call(sign, [operand], at: offset)
    }
    return operand
  }

  @inline(never)
  private static func negated(_ operand: Operand) -> Value? {
    guard case .expression(.constant(let value)) = operand.content else { return nil }
    switch value {
    case .integer(let number) where number != .min: return .integer(-number)
    case .double(let number) where number != 0: return .double(-number)
    case .double: return value
    default: return nil
    }
  }
}
