// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to be read as it was at one time, for as long as the snapshot is kept.
///
/// ```swift
/// if let snapshots = store.snapshots { let frozen = try snapshots.takeSnapshot() }
/// ```
public protocol StoreSnapshots: Sendable {
  /// Returns a store that shows the state of now, whatever is written later. It has the identity and the schema of this
  /// one, it is read only, and it holds what it needs until it is closed.
  ///
  /// It goes on after the store itself was closed, or throws `storeRemoved`.
  ///
  /// - Throws: `storeBusy` when there is no connection to be had, `storeRemoved`, or what the engine says.
  /// - Complexity: One round trip; nothing is copied.
  func takeSnapshot() throws -> any PersistentStore
}
