// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Parsing of calls: functions, SUBQUERY, CAST and TERNARY.
extension FormatParser {
  @inline(never)
  mutating func parseCall(_ word: String) throws -> Operand {
    let offset = token.offset
    switch word.uppercased() {
    case "SUBQUERY": return try parseSubquery(at: offset)
    case "CAST": return try parseCast(at: offset)
    case "TERNARY": return try parseConditional(at: offset)
    case "FUNCTION":
      throw source.failure(
        "FUNCTION is refused: a predicate calls no code of the program", at: offset)
    case "FETCH":
      throw source.failure("FETCH is refused: use SUBQUERY or a second request", at: offset)
    default: break
    }
    if keyword(token) != nil { return try parseKeywordBeforeParenthesis() }
    let name = try parseFunctionName(word)
    guard let function = FetchFunction(formatName: name) else {
      throw source.failure("there is no function '\(name)'", at: offset)
    }
    let operands = try parseArguments()
    guard function.arity.contains(operands.count) else {
      throw source.failure("'\(name)' does not take \(operands.count) arguments", at: offset)
    }
    return try call(function, operands, at: offset)
  }

  /// Parses a keyword; `TRUE (` and `SELF (` are errors, reported at the parenthesis.
  @inline(never)
  private mutating func parseKeywordBeforeParenthesis() throws -> Operand {
    index += 1
    throw unexpected("an operator")
  }

  /// Parses `sum` or `add:to:`, up to the parenthesis.
  @inline(never)
  private mutating func parseFunctionName(_ word: String) throws -> String {
    index += 1
    var name = word
    while accept(.colon) {
      name += ":"
      if case .word(let part) = token.kind, token(after: 1).kind == .symbol(.colon) {
        name += part
        index += 1
      }
    }
    return name
  }

  @inline(never)
  private mutating func parseArguments() throws -> [Operand] {
    try expect(.leftParenthesis)
    var operands: [Operand] = []
    if accept(.rightParenthesis) { return operands }
    repeat {
      operands.append(try parse(.bitwise))
    } while accept(.comma)
    try expect(.rightParenthesis)
    return operands
  }

  /// Makes a node for a function.
  @inline(never)
  func call(_ function: FetchFunction, _ operands: [Operand], at offset: Int) throws -> Operand {
    let depth = operands.lazy.map(\.depth).max() ?? 0
    return try node(
      .function(function, try operands.map(expression)), depth: depth + 1, at: offset)
  }

  @inline(never)
  private mutating func parseSubquery(at offset: Int) throws -> Operand {
    index += 1
    try expect(.leftParenthesis)
    let collection = try parse(.bitwise)
    try expect(.comma)
    guard case .variable(let variable) = token.kind else { throw unexpected("a variable as $x") }
    index += 1
    try expect(.comma)
    let condition = try parse(.or)
    try expect(.rightParenthesis)
    return try node(
      .subquery(
        try expression(collection), variable: variable, try predicate(condition)),
      depth: max(collection.depth, condition.depth) + 1, at: offset)
  }

  @inline(never)
  private mutating func parseConditional(at offset: Int) throws -> Operand {
    index += 1
    try expect(.leftParenthesis)
    let condition = try parse(.or)
    try expect(.comma)
    let first = try parse(.bitwise)
    try expect(.comma)
    let second = try parse(.bitwise)
    try expect(.rightParenthesis)
    return try node(
      .conditional(
        try predicate(condition), try expression(first), try expression(second)),
      depth: max(condition.depth, first.depth, second.depth) + 1, at: offset)
  }

  @inline(never)
  private mutating func parseCast(at offset: Int) throws -> Operand {
    index += 1
    try expect(.leftParenthesis)
    let operand = try parse(.bitwise)
    try expect(.comma)
    guard case .string(let name) = token.kind else { throw unexpected("the name of a type") }
    guard let target = CastTarget(name: name) else {
      throw source.failure("there is no type '\(name)' to cast to", at: token.offset)
    }
    index += 1
    try expect(.rightParenthesis)
    if case .expression(.constant(let value)) = operand.content,
      let literal = target.literal(value)
    {
      return try node(.constant(literal), depth: 0, at: offset)
    }
    return try node(
      .function(.cast, [try expression(operand), .constant(.string(target.rawValue))]),
      depth: operand.depth + 1, at: offset)
  }
}
