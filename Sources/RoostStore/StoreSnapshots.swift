// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to provide read snapshots.
///
/// ```swift
/// if let snapshots = store.snapshots { let frozen = try snapshots.takeSnapshot() }
/// ```
public protocol StoreSnapshots: Sendable {
  /// Returns a read-only store with a snapshot of the present state, independent of later writes. It has the identity
  /// and the schema of this store, and holds its resources until it is closed.
  ///
  /// After the store itself was closed, it keeps working or throws `storeRemoved`.
  ///
  /// - Throws: `storeBusy` when no connection is available, `storeRemoved`, or the engine's errors.
  /// - Complexity: One round trip; nothing is copied.
  func takeSnapshot() throws -> any PersistentStore
}
