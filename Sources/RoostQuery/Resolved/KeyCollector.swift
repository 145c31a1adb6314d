// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Takes the keys of a request one after the other and keeps them packed, so that a store need not hold all of them as
/// they are.
package final class KeyCollector: @unchecked Sendable {
  // Sendable: it is written by the one request that it was made for, and read when that has ended.

  /// The keys, in the order of the request.
  package private(set) var keys = PackedKeys()

  package init() {}

  package func append(_ key: Int64) { keys.append(key) }

  /// Forgets what was taken, as when the request is tried again.
  package func removeAll() { keys = PackedKeys() }
}
