// SPDX-License-Identifier: Apache-2.0

/// The smallest piece of source that has a meaning. White space and comments belong to no token.
struct Token: Equatable {
  enum Kind: UInt8 {
    /// A word: a name or a keyword.
    case word
    /// A name between backticks.
    case escapedName
    case number
    /// A whole string literal, interpolations included.
    case string
    /// A whole regular-expression literal.
    case regex
    /// A whole `#if`, `#elseif`, `#else` or `#endif` line.
    case directive
    /// One byte of anything else; operators of several bytes are several tokens.
    case punctuation
  }

  let kind: Kind
  /// The offset of the token's first byte.
  let start: Int
  /// The byte after the token.
  let end: Int
  /// Whether a line break precedes the token.
  let startsLine: Bool
}

/// The bytes that the lexer and the parser know by name.
enum Byte {
  static let tab = UInt8(ascii: "\t")
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let hash = UInt8(ascii: "#")
  static let openParenthesis = UInt8(ascii: "(")
  static let closeParenthesis = UInt8(ascii: ")")
  static let star = UInt8(ascii: "*")
  static let comma = UInt8(ascii: ",")
  static let minus = UInt8(ascii: "-")
  static let dot = UInt8(ascii: ".")
  static let slash = UInt8(ascii: "/")
  static let colon = UInt8(ascii: ":")
  static let semicolon = UInt8(ascii: ";")
  static let less = UInt8(ascii: "<")
  static let equal = UInt8(ascii: "=")
  static let greater = UInt8(ascii: ">")
  static let question = UInt8(ascii: "?")
  static let exclamation = UInt8(ascii: "!")
  static let ampersand = UInt8(ascii: "&")
  static let at = UInt8(ascii: "@")
  static let openBracket = UInt8(ascii: "[")
  static let backslash = UInt8(ascii: "\\")
  static let closeBracket = UInt8(ascii: "]")
  static let backtick = UInt8(ascii: "`")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")

  static func isNewline(_ byte: UInt8) -> Bool { byte == newline || byte == carriageReturn }

  /// White space within a line; NUL, vertical tab and form feed count, as they do for the compiler.
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte == tab || byte == 0 || byte == 11 || byte == 12
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }

  /// Whether a byte can be part of a word. Everything beyond ASCII can: no operator matters here.
  static func isWordPart(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "$"), 128...255: true
    default: false
    }
  }
}
