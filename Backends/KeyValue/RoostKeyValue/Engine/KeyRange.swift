// SPDX-License-Identifier: Apache-2.0

/// Keys from a lower bound up to, but without, an upper bound; nil is above all keys. Keys are compared byte by byte.
///
/// ```swift
/// let range = KeyRange(lower: [1], upper: [2])  // all keys that begin with 1
/// ```
public struct KeyRange: Hashable, Sendable {
  /// The first key that can be in the range.
  public var lower: [UInt8]
  /// The first key above the range; nil when nothing is above it.
  public var upper: [UInt8]?

  /// Makes a range of its bounds.
  public init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }

  /// All keys.
  public static let all = KeyRange(lower: [], upper: nil)

  /// The keys that begin with a prefix.
  public init(prefix: [UInt8]) {
    self.init(lower: prefix, upper: KeyRange.successor(of: prefix))
  }

  /// Returns the first key after all keys with a prefix; nil when there is none.
  public static func successor(of prefix: [UInt8]) -> [UInt8]? {
    guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
    var successor = Array(prefix[...last])
    successor[last] += 1
    return successor
  }

  /// Whether a key is in the range.
  public func contains(_ key: [UInt8]) -> Bool {
    !key.lexicographicallyPrecedes(lower)
      && upper.map { key.lexicographicallyPrecedes($0) } ?? true
  }

  /// Whether no key can be in the range.
  public var isEmpty: Bool {
    guard let upper else { return false }
    return !lower.lexicographicallyPrecedes(upper)
  }
}
