// SPDX-License-Identifier: Apache-2.0

/// Splits source into tokens.
///
/// The lexer knows only as much of Swift as it needs to find the end of a token. It accepts any input: invalid
/// characters become punctuation, and an unterminated literal ends at the end of its line or of the source.
struct Lexer {
  let bytes: [UInt8]
  var position = 0
  private var tokens: [Token] = []
  private var sawNewline = true

  /// The tokens of `bytes`, in order.
  static func tokens(of bytes: [UInt8]) -> [Token] {
    var lexer = Lexer(bytes: bytes)
    lexer.run()
    return lexer.tokens
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The byte at a distance from the position; nil beyond the end.
  func peek(_ distance: Int = 0) -> UInt8? {
    let index = position + distance
    return index < bytes.count ? bytes[index] : nil
  }

  private mutating func run() {
    while let byte = peek() {
      if Byte.isNewline(byte) {
        sawNewline = true
        position += 1
      } else if Byte.isBlank(byte) {
        position += 1
      } else if skipComment() {
        continue
      } else {
        let start = position
        let kind = token(startingWith: byte)
        tokens.append(Token(kind: kind, start: start, end: position, startsLine: sawNewline))
        sawNewline = false
      }
    }
  }

  /// Skips one token and returns its kind.
  private mutating func token(startingWith byte: UInt8) -> Token.Kind {
    switch byte {
    case Byte.quote:
      skipString()
      return .string
    case Byte.hash:
      return hashToken()
    case Byte.backtick:
      return skipEscapedName() ? .escapedName : punctuation()
    case Byte.slash:
      return canBeginRegex && skipRegex(hashes: 0) ? .regex : punctuation()
    case _ where Byte.isDigit(byte):
      skipNumber()
      return .number
    case _ where Byte.isWordPart(byte):
      skipWord()
      return .word
    default:
      return punctuation()
    }
  }

  private mutating func punctuation() -> Token.Kind {
    position += 1
    return .punctuation
  }

  private mutating func hashToken() -> Token.Kind {
    let hashes = hashCount()
    switch peek(hashes) {
    case Byte.quote:
      skipString()
      return .string
    case Byte.slash where skipRegex(hashes: hashes):
      return .regex
    default:
      return sawNewline && skipDirective() ? .directive : punctuation()
    }
  }

  private mutating func skipWord() {
    while let byte = peek(), Byte.isWordPart(byte) { position += 1 }
  }

  private mutating func skipNumber() {
    skipWord()
    while peek() == Byte.dot, let next = peek(1), Byte.isDigit(next) {
      position += 1
      skipWord()
    }
  }

  /// Skips a name between backticks; does not move when the line ends before the second one.
  private mutating func skipEscapedName() -> Bool {
    var distance = 1
    while let byte = peek(distance), !Byte.isNewline(byte) {
      distance += 1
      if byte == Byte.backtick {
        position += distance
        return true
      }
    }
    return false
  }

  /// Steps over a comment, nested ones included, and remembers whether there was a line break in it.
  mutating func skipComment() -> Bool {
    guard peek() == Byte.slash else { return false }
    if peek(1) == Byte.slash {
      while let byte = peek(), !Byte.isNewline(byte) { position += 1 }
      return true
    }
    guard peek(1) == Byte.star else { return false }
    var depth = 0
    while let byte = peek() {
      if byte == Byte.slash, peek(1) == Byte.star {
        depth += 1
        position += 2
      } else if byte == Byte.star, peek(1) == Byte.slash {
        depth -= 1
        position += 2
        if depth == 0 { break }
      } else {
        if Byte.isNewline(byte) { sawNewline = true }
        position += 1
      }
    }
    return true
  }

  /// Steps over a line of conditional compilation, up to its comment.
  private mutating func skipDirective() -> Bool {
    let keywords = ["if", "elseif", "else", "endif"]
    var distance = 1
    while let byte = peek(distance), Byte.isWordPart(byte) { distance += 1 }
    let word = String(decoding: bytes[(position + 1)..<(position + distance)], as: UTF8.self)
    guard keywords.contains(word) else { return false }
    position += distance
    var end = position
    while let byte = peek(), !Byte.isNewline(byte) {
      if byte == Byte.slash, peek(1) == Byte.slash || peek(1) == Byte.star { break }
      position += 1
      if !Byte.isBlank(byte) { end = position }
    }
    position = end
    return true
  }
}

// MARK: - Where a regular expression can begin

extension Lexer {
  /// Whether a slash here begins an expression: the place of a prefix operator, not of an infix one.
  private var canBeginRegex: Bool {
    guard let next = peek(1), !Byte.isBlank(next), !Byte.isNewline(next) else { return false }
    guard let last = tokens.last, !sawNewline else { return true }
    switch last.kind {
    case .number, .string, .regex, .escapedName:
      return false
    case .directive:
      return true
    case .word:
      let word = String(decoding: bytes[last.start..<last.end], as: UTF8.self)
      return last.end < position && Self.wordsBeforeExpressions.contains(word)
    case .punctuation:
      let byte = bytes[last.start]
      let closers = [Byte.closeParenthesis, Byte.closeBracket, Byte.closeBrace]
      let openers = [Byte.openParenthesis, Byte.openBracket, Byte.openBrace]
      if closers.contains(byte) { return false }
      if openers.contains(byte) || [Byte.comma, Byte.colon, Byte.semicolon].contains(byte) {
        return true
      }
      return last.end < position
    }
  }

  private static let wordsBeforeExpressions: Set<String> = [
    "return", "in", "case", "try", "await", "if", "while", "where", "else", "throw", "switch",
    "guard", "is", "as", "yield", "consume", "copy",
  ]
}
