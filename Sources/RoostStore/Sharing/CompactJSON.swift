// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A scanner for JSON in the exact form that Roost writes: no whitespace, no escapes, keys in a known order.
///
/// Metadata is read whenever a store is opened, and a full decoder would take a large part of that time. Any other
/// form is not an error here, but ends the scan: the caller falls back to the decoder.
package struct CompactJSON {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  /// Begins at the first byte.
  ///
  /// - Parameter bytes: The JSON, which must stay valid while the scanner is used.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Whether all bytes were consumed.
  package var isOver: Bool { place == bytes.count }

  /// Consumes a text if it comes next.
  package mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - place >= count, let start = bytes.baseAddress,
      memcmp(start + place, text.utf8Start, count) == 0
    else { return false }
    place += count
    return true
  }

  /// Consumes a string; nil when no string comes next, or one with an escape.
  package mutating func string() -> String? {
    quoted().flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Consumes an unsigned integer of at most nine digits.
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

  /// Consumes a quoted string without escapes, and returns its bytes.
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
  /// Consumes a string that encodes bytes in base 64.
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
          // Padding characters count as zero bits.
          guard let bits = place < text.count - padding ? Self.bits(text[place]) : 0 else {
            return nil
          }
          word = word << 6 | bits
        }
        target[group * 3] = UInt8(truncatingIfNeeded: word >> 16)
        target[group * 3 + 1] = UInt8(truncatingIfNeeded: word >> 8)
        target[group * 3 + 2] = UInt8(truncatingIfNeeded: word)
      }
      // Unused bits are zero, as the encoder writes them.
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
