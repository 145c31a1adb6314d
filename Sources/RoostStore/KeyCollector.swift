// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Takes the keys that a request finds, one after the other and packed, so that nobody holds all of them unpacked.
///
/// ```swift
/// collector.removeAll()
/// while let key = try cursor.next() { collector.append(key) }
/// ```
public final class KeyCollector: @unchecked Sendable {
  // Sendable: it is written by the one request that it was made for, and read when that has ended.

  /// The keys, in the order of the request.
  package private(set) var keys = PackedKeys()

  /// Makes a collector without keys.
  public init() {}

  /// The number of keys.
  public var count: Int { keys.count }

  /// Takes the next key.
  public func append(_ key: Int64) { keys.append(key) }

  /// Forgets what was taken: a store calls it before the first key, as when a request is tried again.
  public func removeAll() { keys = PackedKeys() }

  /// Hands on the keys in their order.
  ///
  /// - Complexity: O(*n*).
  public func forEach(_ body: (Int64) throws -> Void) rethrows {
    for key in keys { try body(key) }
  }
}
