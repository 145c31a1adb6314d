// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Splits a format string into tokens.
struct FormatLexer {
  let source: FormatSource
  let bytes: [UInt8]
  var position = 0

  init(_ source: FormatSource) {
    self.source = source
    bytes = source.bytes
  }

  /// Returns all tokens; the last one is `.end`.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` at the first byte that begins no token.
  static func tokens(of source: FormatSource) throws -> [FormatToken] {
    var lexer = FormatLexer(source)
    var tokens: [FormatToken] = []
    tokens.reserveCapacity(source.bytes.count / 4 + 1)
    while let token = try lexer.next() { tokens.append(token) }
    tokens.append(FormatToken(kind: .end, offset: source.bytes.count))
    return tokens
  }

  private mutating func next() throws -> FormatToken? {
    skipSpace()
    guard position < bytes.count else { return nil }
    let start = position
    return FormatToken(kind: try scan(), offset: start)
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09...0x0D: position += 1
      case 0xC2 where byte(at: position + 1) == 0xA0: position += 2
      default: return
      }
    }
  }

  private mutating func scan() throws -> FormatToken.Kind {
    if let uuid = scanUUID() { return .uuid(uuid) }
    switch bytes[position] {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try scanNumber()
    case UInt8(ascii: ".") where isDigit(byte(at: position + 1)): return try scanNumber()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try scanString())
    case UInt8(ascii: "%"): return try scanPlaceholder()
    case UInt8(ascii: "$"): return .variable(try scanName(after: "$"))
    case UInt8(ascii: "@"): return .collectionOperator("@" + (try scanName(after: "@")))
    case UInt8(ascii: "#"): return .escapedWord(try scanEscapedWord())
    default: break
    }
    if let word = scanWord() { return .word(word) }
    return .symbol(try scanSymbol())
  }

  func byte(at index: Int) -> UInt8? {
    index < bytes.count ? bytes[index] : nil
  }

  func isDigit(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  func failure(_ message: String, at offset: Int) -> any Error {
    source.failure(message, at: offset)
  }
}

// MARK: - Words

extension FormatLexer {
  /// The scalar at a position and its length in bytes; the bytes come from a `String`, so they are valid.
  private func scalar(at index: Int) -> (Unicode.Scalar, Int)? {
    guard index < bytes.count else { return nil }
    let first = bytes[index]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for step in 1..<length { value = value << 6 | UInt32(bytes[index + step] & 0x3F) }
    return Unicode.Scalar(value).map { ($0, length) }
  }

  mutating func scanWord() -> String? {
    let start = position
    guard let (first, length) = scalar(at: position), FormatWords.isStart(first) else { return nil }
    position += length
    while let (next, length) = scalar(at: position), FormatWords.isContinuation(next) {
      position += length
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func scanName(after sign: String) throws -> String {
    let start = position
    position += 1
    guard let name = scanWord() else {
      throw failure("a name is expected after '\(sign)'", at: start)
    }
    return name
  }

  private mutating func scanEscapedWord() throws -> String {
    let start = position
    position += 1
    if byte(at: position) == UInt8(ascii: "\"") {
      let name = try scanString()
      guard !name.isEmpty else { throw failure("a key is expected after '#'", at: start) }
      return name
    }
    guard let word = scanWord() else {
      throw failure("a key is expected after '#'", at: start)
    }
    return word
  }
}

// MARK: - Symbols and placeholders

extension FormatLexer {
  fileprivate mutating func scanSymbol() throws -> FormatToken.Symbol {
    let first = bytes[position]
    if let second = byte(at: position + 1), let symbol = Self.symbol(first, second) {
      position += 2
      return symbol
    }
    if first == UInt8(ascii: "<"), bytes[position...].starts(with: "<null>".utf8) {
      position += 6
      return .null
    }
    guard let symbol = Self.symbol(first) else {
      throw failure("unexpected character", at: position)
    }
    position += 1
    return symbol
  }

  private static func symbol(_ first: UInt8, _ second: UInt8) -> FormatToken.Symbol? {
    switch (Unicode.Scalar(first), Unicode.Scalar(second)) {
    case ("*", "*"): .power
    case ("<", "<"): .leftShift
    case (">", ">"): .rightShift
    case ("=", "="): .equal
    case ("=", ">"), (">", "="): .greaterOrEqual
    case ("=", "<"), ("<", "="): .lessOrEqual
    case ("<", ">"), ("!", "="): .notEqual
    case ("&", "&"): .and
    case ("|", "|"): .or
    default: nil
    }
  }

  private static func symbol(_ byte: UInt8) -> FormatToken.Symbol? {
    switch Unicode.Scalar(byte) {
    case "=": .equal
    case "<": .less
    case ">": .greater
    case "!": .not
    case "(": .leftParenthesis
    case ")": .rightParenthesis
    case "{": .leftBrace
    case "}": .rightBrace
    case "[": .leftBracket
    case "]": .rightBracket
    case ",": .comma
    case ".": .dot
    case ":": .colon
    case "+": .plus
    case "-": .minus
    case "*": .times
    case "/": .divide
    case "&": .bitAnd
    case "|": .bitOr
    case "^": .bitXor
    case "~": .complement
    default: nil
    }
  }

  fileprivate mutating func scanPlaceholder() throws -> FormatToken.Kind {
    let start = position
    position += 1
    if byte(at: position) == UInt8(ascii: "%") {
      position += 1
      return .symbol(.modulus)
    }
    // Length modifiers are ignored, because arguments have their own type.
    while let letter = byte(at: position), "hlqzjt".utf8.contains(letter) { position += 1 }
    defer { position += 1 }
    switch byte(at: position).map({ Character(Unicode.Scalar($0)) }) {
    case "@": return .placeholder(.value)
    case "K": return .placeholder(.key)
    case "d", "D", "i", "u", "U", "x", "X", "o", "O", "c": return .placeholder(.integer)
    case "f", "F", "e", "E", "g", "G", "a", "A": return .placeholder(.double)
    case "s", "S": return .placeholder(.text)
    default:
      throw failure("'%' is followed by no known conversion", at: start)
    }
  }
}
