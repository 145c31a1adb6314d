// SPDX-License-Identifier: Apache-2.0

extension Lexer {
  /// The number of `#` from the position on.
  func hashCount(at distance: Int = 0) -> Int {
    var count = 0
    while peek(distance + count) == Byte.hash { count += 1 }
    return count
  }

  /// The nesting level of the lexer inside a string literal.
  private enum Nesting {
    case string(hashes: Int, isMultiline: Bool)
    case interpolation(parentheses: Int)
  }

  /// Skips a string literal with all literals that are nested in its interpolations, however deep.
  mutating func skipString() {
    var nesting = [openString()]
    while let byte = peek(), let innermost = nesting.last {
      switch innermost {
      case .string(let hashes, let isMultiline):
        if byte == Byte.backslash, hashCount(at: 1) >= hashes {
          position += 1 + hashes
          if peek() == Byte.openParenthesis {
            nesting.append(.interpolation(parentheses: 0))
          } else if let escaped = peek(), isMultiline || !Byte.isNewline(escaped) {
            position += 1
          }
        } else if byte == Byte.quote, closesString(hashes, isMultiline) {
          position += (isMultiline ? 3 : 1) + hashes
          nesting.removeLast()
        } else if !isMultiline, Byte.isNewline(byte) {
          return  // not closed
        } else {
          position += 1
        }
      case .interpolation(let parentheses):
        skipInInterpolation(byte, parentheses, &nesting)
      }
    }
  }

  private mutating func skipInInterpolation(
    _ byte: UInt8, _ parentheses: Int, _ nesting: inout [Nesting]
  ) {
    switch byte {
    case Byte.openParenthesis:
      nesting[nesting.count - 1] = .interpolation(parentheses: parentheses + 1)
      position += 1
    case Byte.closeParenthesis:
      position += 1
      if parentheses == 1 {
        nesting.removeLast()
      } else {
        nesting[nesting.count - 1] = .interpolation(parentheses: parentheses - 1)
      }
    case Byte.quote:
      nesting.append(openString())
    case Byte.hash:
      if peek(hashCount()) == Byte.quote {
        nesting.append(openString())
      } else {
        position += 1
      }
    case Byte.slash:
      if !skipComment() { position += 1 }
    default:
      position += 1
    }
  }

  /// Steps over the opening delimiter.
  private mutating func openString() -> Nesting {
    let hashes = hashCount()
    position += hashes
    let isMultiline = opensMultilineString(hashes)
    position += isMultiline ? 3 : 1
    return .string(hashes: hashes, isMultiline: isMultiline)
  }

  /// Whether three quotes begin here. `#"""#` is a quote in a string of one line: with hashes, three quotes count
  /// only when the line does not close the string.
  private func opensMultilineString(_ hashes: Int) -> Bool {
    guard peek(1) == Byte.quote, peek(2) == Byte.quote else { return false }
    guard hashes > 0 else { return true }
    var distance = 1
    while let byte = peek(distance), !Byte.isNewline(byte) {
      distance += 1
      if byte == Byte.quote, hashCount(at: distance) >= hashes { return false }
    }
    return true
  }

  private func closesString(_ hashes: Int, _ isMultiline: Bool) -> Bool {
    if isMultiline, peek(1) != Byte.quote || peek(2) != Byte.quote { return false }
    return hashCount(at: isMultiline ? 3 : 1) >= hashes
  }

  /// Skips a regular-expression literal; does not move when there is none, because it is not terminated.
  mutating func skipRegex(hashes: Int) -> Bool {
    guard let length = regexLength(hashes: hashes) else { return false }
    position += length
    return true
  }

  private func regexLength(hashes: Int) -> Int? {
    var distance = hashes + 1
    let isMultiline = hashes > 0 && restIsBlank(from: distance)
    if hashes == 0, let first = peek(distance), Byte.isBlank(first) || first == Byte.slash {
      return nil
    }
    var parentheses = 0
    while let byte = peek(distance) {
      if Byte.isNewline(byte), !isMultiline { return nil }
      if byte == Byte.slash, hashCount(at: distance + 1) >= hashes {
        let endsBlank = hashes == 0 && peek(distance - 1).map(Byte.isBlank) == true
        return endsBlank ? nil : distance + 1 + hashes
      }
      if byte == Byte.openParenthesis { parentheses += 1 }
      if byte == Byte.closeParenthesis { parentheses -= 1 }
      // `f(/), (/)` passes an operator twice.
      if parentheses < 0, hashes == 0 { return nil }
      let isEscape = byte == Byte.backslash && peek(distance + 1).map(Byte.isNewline) == false
      distance += isEscape ? 2 : 1
    }
    return nil
  }

  private func restIsBlank(from start: Int) -> Bool {
    var distance = start
    while let byte = peek(distance), !Byte.isNewline(byte) {
      guard Byte.isBlank(byte) else { return false }
      distance += 1
    }
    return peek(distance) != nil
  }
}
