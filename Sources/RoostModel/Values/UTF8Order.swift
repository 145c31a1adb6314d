// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The order of strings that every store shares: by UTF-8 bytes, never by Unicode equivalence.
///
/// ```swift
/// names.sort(by: UTF8Order.isLess)
/// ```
public enum UTF8Order {
  /// Whether the bytes of two strings are the same.
  public static func areEqual(_ left: String, _ right: String) -> Bool {
    compare(left, right) == 0
  }

  /// Whether `left` comes before `right`.
  public static func isLess(_ left: String, _ right: String) -> Bool {
    compare(left, right) < 0
  }

  /// Compares two strings: negative when `left` comes first, 0 when they are the same.
  public static func compare(_ left: String, _ right: String) -> Int {
    let direct = left.utf8.withContiguousStorageIfAvailable { leftBytes in
      right.utf8.withContiguousStorageIfAvailable { compare($0, to: leftBytes) }
    }
    if let direct, let result = direct { return -result }
    var left = left
    var right = right
    return left.withUTF8 { leftBytes in right.withUTF8 { -compare($0, to: leftBytes) } }
  }

  private static func compare(
    _ left: UnsafeBufferPointer<UInt8>, to right: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let common = min(left.count, right.count)
    if common > 0, let leftBase = left.baseAddress, let rightBase = right.baseAddress {
      let difference = memcmp(leftBase, rightBase, common)
      if difference != 0 { return Int(difference) }
    }
    return left.count - right.count
  }
}
