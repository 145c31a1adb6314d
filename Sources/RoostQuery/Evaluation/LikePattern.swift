// SPDX-License-Identifier: Apache-2.0

/// A `LIKE` pattern: `*` matches any characters, `?` one, `\` escapes the next character. A character is a Unicode
/// scalar.
struct LikePattern: Sendable {
  private enum Element: Sendable, Equatable {
    case byte(UInt8)
    case one
    case any
  }

  private let elements: [Element]

  init(_ pattern: String) {
    var elements: [Element] = []
    var isEscaped = false
    for byte in pattern.utf8 {
      switch byte {
      case _ where isEscaped:
        elements.append(.byte(byte))
        isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "*"):
        if elements.last != .any { elements.append(.any) }
      case UInt8(ascii: "?"): elements.append(.one)
      default: elements.append(.byte(byte))
      }
    }
    if isEscaped { elements.append(.byte(UInt8(ascii: "\\"))) }
    self.elements = elements
  }

  /// Whether the whole text matches. After a mismatch, only the last `*` is extended; backtracking to earlier ones is
  /// not needed.
  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var position = 0
    var index = 0
    var star: (index: Int, position: Int)?
    while position < text.count {
      if index < elements.count {
        switch elements[index] {
        case .any:
          star = (index + 1, position)
          index += 1
          continue
        case .one:
          position = Self.next(text, position)
          index += 1
          continue
        case .byte(let byte) where byte == text[position]:
          position += 1
          index += 1
          continue
        case .byte: break
        }
      }
      guard let last = star else { return false }
      position = Self.next(text, last.position)
      index = last.index
      star = (last.index, position)
    }
    return elements[index...].allSatisfy { $0 == .any }
  }

  /// Returns the position of the next character.
  private static func next(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int {
    var next = position + 1
    while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }
}
