// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Parses a format string by operator precedence.
///
/// Conditions and expressions share one operand grammar, so that a parenthesis needs no look-ahead; each operator
/// then checks the kinds of its operands. Every node knows its depth, which is limited.
struct FormatParser {
  let source: FormatSource
  let tokens: [FormatToken]
  var arguments: FormatArguments
  var index = 0
  var nesting = 0

  /// A node may cost two calls: its operator and its parenthesis.
  static let maximumNesting = 2 * QueryLimits.maximumDepth + 16

  /// A parsed operand: a condition or an expression.
  struct Operand {
    var content: Content
    var depth: Int
    var offset: Int

    enum Content {
      case predicate(FetchPredicate)
      case expression(FetchExpression)
    }
  }

  init(_ format: String, _ arguments: [Any?]) throws {
    source = FormatSource(format)
    tokens = try FormatLexer.tokens(of: source)
    self.arguments = FormatArguments(arguments, source: source)
  }

  /// Parses a format that is a condition.
  @inline(never)
  static func predicate(_ format: String, _ arguments: [Any?]) throws -> FetchPredicate {
    var parser = try FormatParser(format, arguments)
    let operand = try parser.parse(.or)
    try parser.finish()
    return try parser.predicate(operand)
  }

  /// Parses a format that is an expression.
  @inline(never)
  static func expression(_ format: String, _ arguments: [Any?]) throws -> FetchExpression {
    var parser = try FormatParser(format, arguments)
    let operand = try parser.parse(.bitwise)
    try parser.finish()
    return try parser.expression(operand)
  }

  private mutating func finish() throws {
    guard token.kind == .end else { throw unexpected() }
    try arguments.finish(at: token.offset)
  }

  // MARK: Precedence

  enum Precedence: Int, Comparable {
    case or, and, comparison, bitwise, additive, multiplicative, power, operand

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    var next: Self { Self(rawValue: rawValue + 1) ?? .operand }
  }

  /// Parses an operand and all operators after it that bind at least as tightly as `minimum`.
  mutating func parse(_ minimum: Precedence) throws -> Operand {
    nesting += 1
    defer { nesting -= 1 }
    guard nesting <= Self.maximumNesting else { throw tooDeep(token.offset) }
    var left = try parsePrefix(minimum)
    while let (infix, precedence) = infixOperator(), precedence >= minimum {
      let offset = token.offset
      switch infix {
      case .and: left = try parseChain(left, .and, precedence)
      case .or: left = try parseChain(left, .or, precedence)
      case .comparison(let comparison):
        index += 1
        left = try parseComparison(left, comparison, at: offset)
      case .function(let function):
        index += 1
        // Powers associate to the right, everything else to the left.
        let right = try parse(precedence == .power ? .power : precedence.next)
        left = try call(function, [left, right], at: offset)
      }
    }
    return left
  }

  /// Parses a chain of equal connectives into one node with all operands as siblings.
  @inline(never)
  private mutating func parseChain(
    _ first: Operand, _ connective: Infix, _ precedence: Precedence
  ) throws -> Operand {
    var operands = [try predicate(first)]
    var depth = first.depth
    while let (infix, _) = infixOperator(), infix == connective {
      index += 1
      let operand = try parse(precedence.next)
      operands.append(try predicate(operand))
      depth = max(depth, operand.depth)
    }
    return try node(
      connective == .and ? .and(operands) : .or(operands), depth: depth + 1, at: first.offset)
  }

  // MARK: Tokens

  var token: FormatToken { tokens[index] }

  func token(after distance: Int) -> FormatToken {
    tokens[min(index + distance, tokens.count - 1)]
  }

  /// Returns the token's keyword in upper case; nil when it is not a keyword.
  @inline(never)
  func keyword(_ token: FormatToken) -> String? {
    guard case .word(let word) = token.kind, word.utf8.count <= 14 else { return nil }
    let upper = word.uppercased()
    return FormatWords.reserved.contains(upper) ? upper : nil
  }

  mutating func accept(_ symbol: FormatToken.Symbol) -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    index += 1
    return true
  }

  @inline(never)
  mutating func expect(_ symbol: FormatToken.Symbol) throws {
    guard accept(symbol) else { throw unexpected("'\(symbol.rawValue)'") }
  }

  @inline(never)
  func unexpected(_ wanted: String? = nil) -> any Error {
    let found = "\(token.name) is unexpected"
    return source.failure(wanted.map { "\($0) is expected, \(found)" } ?? found, at: token.offset)
  }

  @inline(never)
  func tooDeep(_ offset: Int) -> any Error {
    source.failure(
      "the predicate is nested more than \(QueryLimits.maximumDepth) deep", at: offset,
      code: .limitExceeded)
  }

  // MARK: Operands

  @inline(never)
  func node(_ predicate: FetchPredicate, depth: Int, at offset: Int) throws -> Operand {
    guard depth <= QueryLimits.maximumDepth else { throw tooDeep(offset) }
    return Operand(content: .predicate(predicate), depth: depth, offset: offset)
  }

  @inline(never)
  func node(_ expression: FetchExpression, depth: Int, at offset: Int) throws -> Operand {
    guard depth <= QueryLimits.maximumDepth else { throw tooDeep(offset) }
    return Operand(content: .expression(expression), depth: depth, offset: offset)
  }

  @inline(never)
  func predicate(_ operand: Operand) throws -> FetchPredicate {
    guard case .predicate(let predicate) = operand.content else {
      throw source.failure("a condition is expected, this is a value", at: operand.offset)
    }
    return predicate
  }

  @inline(never)
  func expression(_ operand: Operand) throws -> FetchExpression {
    guard case .expression(let expression) = operand.content else {
      throw source.failure("a value is expected, this is a condition", at: operand.offset)
    }
    return expression
  }
}
