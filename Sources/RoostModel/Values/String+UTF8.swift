// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Bytes that may be a text.
enum UTF8Text {
  /// Whether bytes, eight or more, are valid UTF-8.
  @inline(__always)
  static func isValid(_ start: UnsafeRawPointer, count: Int) -> Bool {
    // Mostly they are ASCII, which is seen eight bytes at a time; the last eight may overlap those before.
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
  /// Whether the string has the character NUL, at which C would end it.
  package var hasNUL: Bool {
    // Not `utf8.contains(0)`, which is generic and looks at one byte at a time.
    var text = self
    return text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return false }
      return memchr(start, 0, bytes.count) != nil
    }
  }

  /// Makes a string of bytes that are valid UTF-8; nil of others.
  ///
  /// The same as `String(validating:as:)`, which is generic in the standard library and asks for metadata at run time
  /// again and again: a tenth of what it costs to read a row.
  package init?(utf8 bytes: UnsafeRawBufferPointer) {
    self.init(decoding: bytes, as: UTF8.self)
    // What was no UTF-8 has been replaced, and so it is not the same any more.
    let isSame = withUTF8 { text in
      guard text.count == bytes.count else { return false }
      guard let left = text.baseAddress, let right = bytes.baseAddress else { return true }
      return memcmp(left, right, text.count) == 0
    }
    guard isSame else { return nil }
  }
}
