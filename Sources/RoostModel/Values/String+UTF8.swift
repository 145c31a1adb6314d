// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Validation of UTF-8.
enum UTF8Text {
  /// Whether eight or more bytes are valid UTF-8.
  @inline(__always)
  static func isValid(_ start: UnsafeRawPointer, count: Int) -> Bool {
    // Most texts are ASCII, which is checked eight bytes at a time; the last eight may overlap those before.
    var found = start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    var offset = 0
    while offset &+ 8 <= count {
      found |= start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
    if found & 0x8080_8080_8080_8080 == 0 { return true }
    return String(utf8: UnsafeRawBufferPointer(start: start, count: count)) != nil
  }
}

extension String {
  /// Whether the string contains the character NUL, which would terminate it in C.
  package var hasNUL: Bool {
    // Not `utf8.contains(0)`, which is generic and checks one byte at a time.
    var text = self
    return text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return false }
      return memchr(start, 0, bytes.count) != nil
    }
  }

  /// Makes a string from valid UTF-8; nil for other bytes.
  ///
  /// Equivalent to `String(validating:as:)`, which is generic in the standard library and requests type metadata at
  /// run time on each call: a tenth of the cost of reading a row.
  package init?(utf8 bytes: UnsafeRawBufferPointer) {
    self.init(decoding: bytes, as: UTF8.self)
    // Invalid bytes were replaced, so that the text differs from the bytes.
    let isSame = withUTF8 { text in
      guard text.count == bytes.count else { return false }
      guard let left = text.baseAddress, let right = bytes.baseAddress else { return true }
      return memcmp(left, right, text.count) == 0
    }
    guard isSame else { return nil }
  }
}
