// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Collects the keys that a fetch finds, one by one and packed, so that they are never all unpacked in memory.
///
/// ```swift
/// collector.removeAll()
/// while let key = try cursor.next() { collector.append(key) }
/// ```
public final class KeyCollector: @unchecked Sendable {
  // Sendable: it is written by one request only, and read after that has ended.

  /// The keys, in the order of the request.
  package private(set) var keys = PackedKeys()

  /// Makes a collector without keys.
  public init() {}

  /// The number of keys.
  public var count: Int { keys.count }

  /// Appends a key.
  public func append(_ key: Int64) { keys.append(key) }

  /// Removes all keys. A store calls it before the first key, also when it retries a request.
  public func removeAll() { keys = PackedKeys() }

  /// Calls a body with each key, in order.
  ///
  /// - Complexity: O(*n*).
  public func forEach(_ body: (Int64) throws -> Void) rethrows {
    for key in keys { try body(key) }
  }
}
