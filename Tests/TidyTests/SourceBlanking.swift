// SPDX-License-Identifier: Apache-2.0

/// Blanks comments and the text of string literals with spaces, so that a rule which looks for a word finds it only
/// in code. Line breaks stay, so positions and line numbers do too.
struct SourceBlanking {
  private enum Mode {
    case code
    /// Code in an interpolation, with the number of its open parentheses.
    case interpolation(depth: Int)
    case string(hashes: Int, multiline: Bool)
  }

  private static let newline = UInt8(ascii: "\n")
  private static let space = UInt8(ascii: " ")
  private static let quote = UInt8(ascii: "\"")
  private static let hash = UInt8(ascii: "#")
  private static let slash = UInt8(ascii: "/")
  private static let star = UInt8(ascii: "*")
  private static let backslash = UInt8(ascii: "\\")
  private static let open = UInt8(ascii: "(")
  private static let close = UInt8(ascii: ")")

  private let input: [UInt8]
  private var output: [UInt8]
  private var index = 0
  private var modes: [Mode] = [.code]

  static func code(of bytes: [UInt8]) -> [UInt8] {
    var blanking = SourceBlanking(bytes)
    return blanking.run()
  }

  private init(_ bytes: [UInt8]) {
    input = bytes
    output = bytes
  }

  private mutating func run() -> [UInt8] {
    while index < input.count {
      switch modes[modes.count - 1] {
      case .code: stepInCode(depth: nil)
      case .interpolation(let depth): stepInCode(depth: depth)
      case .string(let hashes, let multiline): stepInString(hashes: hashes, multiline: multiline)
      }
    }
    return output
  }

  private func byte(_ position: Int) -> UInt8 {
    position < input.count ? input[position] : 0
  }

  private mutating func blank(upTo end: Int) {
    while index < end {
      if input[index] != Self.newline { output[index] = Self.space }
      index += 1
    }
  }

  private mutating func stepInCode(depth: Int?) {
    let current = input[index]
    if current > Self.slash, current != Self.backslash {
      index += 1
      return
    }
    switch current {
    case Self.slash where byte(index + 1) == Self.slash: blankLineComment()
    case Self.slash where byte(index + 1) == Self.star: blankBlockComment()
    case Self.quote, Self.hash: openStringIfAny()
    case Self.open:
      if let depth { modes[modes.count - 1] = .interpolation(depth: depth + 1) }
      index += 1
    case Self.close:
      if depth == 0 {
        modes.removeLast()
      } else if let depth {
        modes[modes.count - 1] = .interpolation(depth: depth - 1)
      }
      index += 1
    default: index += 1
    }
  }

  private mutating func blankLineComment() {
    var end = index
    while end < input.count, input[end] != Self.newline { end += 1 }
    blank(upTo: end)
  }

  private mutating func blankBlockComment() {
    var end = index + 2
    var depth = 1
    while end < input.count, depth > 0 {
      if input[end] == Self.slash, byte(end + 1) == Self.star {
        depth += 1
        end += 2
      } else if input[end] == Self.star, byte(end + 1) == Self.slash {
        depth -= 1
        end += 2
      } else {
        end += 1
      }
    }
    blank(upTo: min(end, input.count))
  }

  private mutating func openStringIfAny() {
    var hashes = 0
    while byte(index + hashes) == Self.hash { hashes += 1 }
    guard byte(index + hashes) == Self.quote else {
      index += max(hashes, 1)
      return
    }
    index += hashes
    let multiline = byte(index + 1) == Self.quote && byte(index + 2) == Self.quote
    index += multiline ? 3 : 1
    modes.append(.string(hashes: hashes, multiline: multiline))
  }

  private mutating func stepInString(hashes: Int, multiline: Bool) {
    let current = input[index]
    if current == Self.backslash, hasHashes(hashes, at: index + 1) {
      let escaped = index + 1 + hashes
      if byte(escaped) == Self.open {
        blank(upTo: escaped)
        index = escaped + 1
        modes.append(.interpolation(depth: 0))
      } else {
        blank(upTo: min(escaped + 1, input.count))
      }
    } else if current == Self.quote, closes(multiline: multiline, hashes: hashes) {
      index += (multiline ? 3 : 1) + hashes
      modes.removeLast()
    } else if current == Self.newline, !multiline {
      // The file would not compile; continuing in code mode limits the error to one line.
      index += 1
      modes.removeLast()
    } else {
      blank(upTo: index + 1)
    }
  }

  private func hasHashes(_ count: Int, at position: Int) -> Bool {
    for offset in 0..<count where byte(position + offset) != Self.hash { return false }
    return true
  }

  private func closes(multiline: Bool, hashes: Int) -> Bool {
    let quotes = multiline ? 3 : 1
    for offset in 0..<quotes where byte(index + offset) != Self.quote { return false }
    return hasHashes(hashes, at: index + quotes)
  }
}
