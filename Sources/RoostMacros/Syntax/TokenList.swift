// SPDX-License-Identifier: Apache-2.0

/// The tokens of a piece of source, with the matching closers of brackets.
struct TokenList {
  let bytes: [UInt8]
  let tokens: [Token]
  /// For an opening bracket the index of its closing one (the count of tokens when it has none); else the own index.
  private let closers: [Int]

  /// Cuts `source` into tokens.
  init(_ source: String) {
    bytes = Array(source.utf8)
    tokens = Lexer.tokens(of: bytes)
    closers = Self.matchedBrackets(tokens, bytes)
  }

  var count: Int { tokens.count }

  /// The closing bracket of the group that begins at `index`.
  func closer(of index: Int) -> Int { closers[index] }

  /// The index after the token, or after the whole group that it opens.
  func index(after index: Int) -> Int { min(closers[index] + 1, count) }

  /// Whether the token is this byte of punctuation.
  func isByte(_ index: Int, _ byte: UInt8) -> Bool {
    guard index >= 0, index < count, tokens[index].kind == .punctuation else { return false }
    return bytes[tokens[index].start] == byte
  }

  /// Whether the token is this word, not in backticks.
  func isWord(_ index: Int, _ word: String) -> Bool {
    guard index >= 0, index < count, tokens[index].kind == .word else { return false }
    return bytes[tokens[index].start..<tokens[index].end].elementsEqual(word.utf8)
  }

  /// Whether the token is a name or a keyword, in backticks or not.
  func isName(_ index: Int) -> Bool {
    guard index >= 0, index < count else { return false }
    return tokens[index].kind == .word || tokens[index].kind == .escapedName
  }

  /// Whether no white space precedes the token.
  func isAdjacent(_ index: Int) -> Bool {
    index > 0 && index < count && tokens[index].start == tokens[index - 1].end
  }

  /// The text of one token.
  func text(_ index: Int) -> String {
    String(decoding: bytes[tokens[index].start..<tokens[index].end], as: UTF8.self)
  }

  /// The text of several tokens, exactly as in the source, including comments between them.
  func text(_ range: Range<Int>) -> String {
    guard let first = range.first, let last = range.last else { return "" }
    return String(decoding: bytes[tokens[first].start..<tokens[last].end], as: UTF8.self)
  }

  /// The offset of a token, or of the end of the source.
  func offset(_ index: Int) -> Int {
    index < count ? tokens[index].start : bytes.count
  }

  /// Whether an expression is a literal, or a collection of literals: it has the same value whenever it is evaluated.
  func isLiteral(_ expression: Range<Int>) -> Bool {
    expression.allSatisfy { index in
      switch tokens[index].kind {
      case .number: true
      case .string: !text(index).contains("\\") || !text(index).contains("(")
      case .word: ["true", "false", "nil"].contains { isWord(index, $0) }
      case .punctuation: Self.bytesOfLiterals.contains { isByte(index, $0) }
      case .escapedName, .regex, .directive: false
      }
    }
  }

  private static let bytesOfLiterals = [
    Byte.minus, Byte.openBracket, Byte.closeBracket, Byte.comma, Byte.colon,
  ]

  private static func matchedBrackets(_ tokens: [Token], _ bytes: [UInt8]) -> [Int] {
    var closers = Array(tokens.indices)
    var open: [(index: Int, bracket: Int)] = []
    var openCounts = [0, 0, 0]
    for (index, token) in tokens.enumerated() where token.kind == .punctuation {
      let byte = bytes[token.start]
      if let bracket = openingBrackets.firstIndex(of: byte) {
        open.append((index, bracket))
        openCounts[bracket] += 1
      } else if let bracket = closingBrackets.firstIndex(of: byte), openCounts[bracket] > 0 {
        // Brackets that were left open inside of the group end with it.
        while let last = open.popLast() {
          closers[last.index] = index
          openCounts[last.bracket] -= 1
          if last.bracket == bracket { break }
        }
      }
    }
    for left in open { closers[left.index] = tokens.count }
    return closers
  }

  private static let openingBrackets = [Byte.openParenthesis, Byte.openBracket, Byte.openBrace]
  private static let closingBrackets = [Byte.closeParenthesis, Byte.closeBracket, Byte.closeBrace]
}
