// SPDX-License-Identifier: Apache-2.0

import Foundation

/// String comparison by UTF-8 bytes, the same in all stores, without Unicode equivalence.
///
/// ```swift
/// names.sort(by: UTF8Order.isLess)
/// ```
public enum UTF8Order {
  /// Whether the bytes of two strings are the same.
  public static func areEqual(_ left: String, _ right: String) -> Bool {
    withBytes(left, right) { areEqual($0, $1) }
  }

  /// Whether two texts, given as bytes, are the same.
  package static func areEqual(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    left.count == right.count && (left.isEmpty || difference(left, right, left.count) == 0)
  }

  /// Whether `left` comes before `right`.
  public static func isLess(_ left: String, _ right: String) -> Bool {
    compare(left, right) < 0
  }

  /// Compares two strings: negative when `left` comes first, 0 when they are the same.
  public static func compare(_ left: String, _ right: String) -> Int {
    withBytes(left, right) { compare($0, $1) }
  }

  /// Compares two texts, given as bytes: negative when `left` comes first, 0 when they are the same.
  package static func compare(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let first = difference(left, right, min(left.count, right.count))
    return first != 0 ? first : left.count - right.count
  }

  /// Whether the bytes of `string` begin with those of `prefix`; true for an empty prefix.
  public static func hasPrefix(_ string: String, _ prefix: String) -> Bool {
    withBytes(string, prefix) { string, prefix in
      prefix.count <= string.count && difference(string, prefix, prefix.count) == 0
    }
  }

  /// Whether the bytes of `string` end with those of `suffix`; true for an empty suffix.
  public static func hasSuffix(_ string: String, _ suffix: String) -> Bool {
    withBytes(string, suffix) { string, suffix in
      guard suffix.count <= string.count else { return false }
      let end = UnsafeBufferPointer(rebasing: string[(string.count - suffix.count)...])
      return difference(end, suffix, suffix.count) == 0
    }
  }

  /// Whether the bytes of `part` occur in those of `string`; true for an empty part.
  public static func contains(_ string: String, _ part: String) -> Bool {
    withBytes(string, part) { string, part in
      guard let first = part.first, let base = string.baseAddress else { return part.isEmpty }
      var start = 0
      while string.count - start >= part.count {
        let room = string.count - start - part.count + 1
        guard let found = memchr(base + start, Int32(first), room) else { return false }
        start = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        let candidate = UnsafeBufferPointer(rebasing: string[start...])
        if difference(candidate, part, part.count) == 0 { return true }
        start += 1
      }
      return false
    }
  }
}

// MARK: - Bytes

extension UTF8Order {
  /// Calls `body` with the bytes of two strings, which are copied only when a string does not store them
  /// contiguously.
  @inline(__always)
  private static func withBytes<Result>(
    _ left: String, _ right: String,
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let direct = left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { right in body(left, right) }
    }
    if let direct, let result = direct { return result }
    var left = left
    var right = right
    return left.withUTF8 { left in right.withUTF8 { right in body(left, right) } }
  }

  @inline(__always)
  private static func difference(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ count: Int
  ) -> Int {
    guard count > 0, let left = left.baseAddress, let right = right.baseAddress else { return 0 }
    return Int(memcmp(left, right, count))
  }
}
