// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Parsing of literals, key paths, variables, lists and parentheses.
extension FormatParser {
  /// Parses an operand and the steps and indices after it.
  @inline(never)
  mutating func parsePostfix() throws -> Operand {
    var operand = try parsePrimary()
    while true {
      let offset = token.offset
      if accept(.dot) {
        let base = try expression(operand)
        let path = base.appending(try parseStep())
        operand = try node(path.expression, depth: operand.depth + path.addedDepth, at: offset)
      } else if token.kind == .symbol(.leftBracket) {
        index += 1
        operand = try parseIndex(of: operand, at: offset)
      } else {
        return operand
      }
    }
  }

  /// Parses the keys after a dot, where any word is a key.
  @inline(never)
  private mutating func parseStep() throws -> [String] {
    let current = token
    index += 1
    switch current.kind {
    case .word(let word), .escapedWord(let word): return [word]
    case .collectionOperator(let name): return [name]
    case .placeholder(.key): return try arguments.keyPath(at: current.offset)
    default:
      index -= 1
      throw unexpected("a key")
    }
  }

  @inline(never)
  private mutating func parseIndex(of base: Operand, at offset: Int) throws -> Operand {
    var position: Operand
    if case .word(let word) = token.kind, ["FIRST", "LAST", "SIZE"].contains(word.uppercased()) {
      position = try node(.constant(.string(word.uppercased())), depth: 0, at: token.offset)
      index += 1
    } else {
      position = try parse(.bitwise)
    }
    try expect(.rightBracket)
    return try call(.objectFrom, [base, position], at: offset)
  }

  @inline(never)
  private mutating func parsePrimary() throws -> Operand {
    switch token.kind {
    case .word(let word): try parseWord(word)
    case .symbol(.leftParenthesis): try parseParenthesis()
    case .symbol(.leftBrace): try parseList()
    default: try parseLeaf()
    }
  }

  @inline(never)
  private mutating func parseParenthesis() throws -> Operand {
    let offset = token.offset
    index += 1
    var operand = try parse(.or)
    try expect(.rightParenthesis)
    operand.offset = offset
    return operand
  }

  @inline(never)
  private mutating func parseLeaf() throws -> Operand {
    let current = token
    switch current.kind {
    case .symbol(.null): return try leaf(.nullObject)
    case .escapedWord(let word): return try leaf(.keyPath([word]))
    case .collectionOperator(let name): return try leaf(.keyPath([name]))
    case .variable(let name): return try leaf(.variable(name))
    case .string(let text): return try leaf(.constant(.string(text)))
    case .integer(let number): return try leaf(.constant(.integer(number)))
    case .double(let number): return try leaf(.constant(.double(number)))
    case .uuid(let uuid): return try leaf(.constant(.uuid(uuid)))
    case .placeholder(.key):
      index += 1
      let path = FetchExpression.evaluatedObject.appending(
        try arguments.keyPath(at: current.offset))
      return try node(path.expression, depth: 0, at: current.offset)
    case .placeholder(let placeholder):
      index += 1
      let expression = try arguments.expression(for: placeholder, at: current.offset)
      return try node(expression, depth: QueryShape(of: expression).depth, at: current.offset)
    default: throw unexpected("a value or a condition")
    }
  }

  @inline(never)
  private mutating func leaf(_ expression: FetchExpression) throws -> Operand {
    index += 1
    return try node(expression, depth: 0, at: tokens[index - 1].offset)
  }

  @inline(never)
  private mutating func parseWord(_ word: String) throws -> Operand {
    let next = token(after: 1).kind
    if next == .symbol(.leftParenthesis) || next == .symbol(.colon) { return try parseCall(word) }
    let offset = token.offset
    switch keyword(token) {
    case nil: return try leaf(.keyPath([word]))
    case "TRUE", "YES": return try leaf(.constant(.integer(1)))
    case "FALSE", "NO": return try leaf(.constant(.integer(0)))
    case "NIL", "NULL": return try leaf(.constant(.null))
    case "SELF": return try leaf(.evaluatedObject)
    case "TRUEPREDICATE", "FALSEPREDICATE":
      index += 1
      return try node(
        .constant(keyword(tokens[index - 1]) == "TRUEPREDICATE"), depth: 1, at: offset)
    default: throw unexpected("a value or a condition")
    }
  }

  @inline(never)
  private mutating func parseList() throws -> Operand {
    let offset = token.offset
    index += 1
    var members: [FetchExpression] = []
    var depth = 0
    if !accept(.rightBrace) {
      repeat {
        let member = try parse(.bitwise)
        members.append(try expression(member))
        depth = max(depth, member.depth)
      } while accept(.comma)
      try expect(.rightBrace)
    }
    return try node(.list(members), depth: depth + 1, at: offset)
  }
}
