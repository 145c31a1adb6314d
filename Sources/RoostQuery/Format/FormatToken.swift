// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A token of a format string.
struct FormatToken {
  var kind: Kind
  /// The offset of the token in the format's UTF-8 bytes.
  var offset: Int

  enum Kind: Equatable {
    /// An identifier or a keyword, depending on the context.
    case word(String)
    /// `#word` or `#"any name"`: a key, never a keyword.
    case escapedWord(String)
    /// `$name`.
    case variable(String)
    /// `@count`.
    case collectionOperator(String)
    case string(String)
    case integer(Int64)
    /// An integer literal whose absolute value is 2^63: it only fits with a minus sign.
    case smallestInteger
    case double(Double)
    case uuid(UUID)
    /// `%@`, `%K` and so on.
    case placeholder(Placeholder)
    case symbol(Symbol)
    case end
  }

  enum Placeholder: Equatable {
    case value, key, integer, double, text
  }

  enum Symbol: String {
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBrace = "{"
    case rightBrace = "}"
    case leftBracket = "["
    case rightBracket = "]"
    case comma = ","
    case dot = "."
    case colon = ":"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case power = "**"
    case divide = "/"
    case modulus = "%%"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
    case complement = "~"
    case leftShift = "<<"
    case rightShift = ">>"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case null = "<null>"
  }
}

extension FormatToken {
  /// The name of the token in an error message.
  var name: String {
    switch kind {
    case .word(let word), .escapedWord(let word): "'\(word)'"
    case .variable(let name): "'$\(name)'"
    case .collectionOperator(let name): "'\(name)'"
    case .string: "a string"
    case .integer, .smallestInteger, .double: "a number"
    case .uuid: "a UUID"
    case .placeholder: "a placeholder"
    case .symbol(let symbol): "'\(symbol.rawValue)'"
    case .end: "the end"
    }
  }
}
