// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Steps through JSON that looks exactly as it was written: no space, no escape, keys in the order that is known.
///
/// What stores keep of themselves is read whenever one is opened, and a decoder would be a large part of that time.
/// Whatever looks otherwise is no error here, but ends the steps: it is for the decoder to say what it means.
package struct CompactJSON {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  /// Begins at the first byte.
  ///
  /// - Parameter bytes: Valid as long as steps are made.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Whether all bytes were passed.
  package var isOver: Bool { place == bytes.count }

  /// Passes a text, if it comes next.
  package mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - place >= count, let start = bytes.baseAddress,
      memcmp(start + place, text.utf8Start, count) == 0
    else { return false }
    place += count
    return true
  }

  /// Passes a string; nil when none comes next, or one with an escape.
  package mutating func string() -> String? {
    quoted().flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Passes a whole number without a sign and of no more than nine digits.
  package mutating func number() -> Int? {
    let start = place
    var number = 0
    while place < bytes.count, place - start < 9 {
      let digit = bytes[place] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      number = number * 10 + Int(digit)
      place += 1
    }
    guard place > start, place == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
    return number
  }

  /// The bytes between quotation marks, in which nothing has a meaning of its own.
  private mutating func quoted() -> UnsafeRawBufferPointer? {
    guard skip("\"") else { return nil }
    let start = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      guard bytes[place] >= 0x20, bytes[place] != UInt8(ascii: "\\") else { return nil }
      place += 1
    }
    let end = place
    return skip("\"") ? UnsafeRawBufferPointer(rebasing: bytes[start..<end]) : nil
  }
}

// MARK: - Bytes

extension CompactJSON {
  /// Passes a string that is bytes in base 64, three of them in four characters.
  package mutating func data() -> Data? {
    guard let text = quoted(), text.count % 4 == 0 else { return nil }
    if text.isEmpty { return Data() }
    let padding =
      text[text.count - 1] != UInt8(ascii: "=")
      ? 0 : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
    let count = text.count / 4 * 3 - padding
    return withUnsafeTemporaryAllocation(byteCount: count + 3, alignment: 4) { target in
      for group in 0..<text.count / 4 {
        var word: UInt32 = 0
        for place in group * 4..<group * 4 + 4 {
          // The signs that fill up the last group stand for no bits.
          guard let bits = place < text.count - padding ? Self.bits(text[place]) : 0 else {
            return nil
          }
          word = word << 6 | bits
        }
        target[group * 3] = UInt8(truncatingIfNeeded: word >> 16)
        target[group * 3 + 1] = UInt8(truncatingIfNeeded: word >> 8)
        target[group * 3 + 2] = UInt8(truncatingIfNeeded: word)
      }
      // Bits that belong to no byte are clear, as the encoder leaves them.
      guard target[count..<count + padding].allSatisfy({ $0 == 0 }) else { return nil }
      return Data(target[..<count])
    }
  }

  private static func bits(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
