// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// Metadata that a program has set and no save has written yet, kept as changes to the stored metadata.
struct PendingMetadata: Sendable {
  private let wanted: StoreMetadata
  private let earlier: StoreMetadata

  /// - Parameter stored: The stored metadata when they were set.
  init(_ wanted: StoreMetadata, since stored: StoreMetadata) {
    self.wanted = wanted
    earlier = stored
  }

  /// Returns the metadata to write to a store now. The state of a migration or a move is taken from the store, and
  /// values that other saves have written stay.
  func metadata(of store: any PersistentStore) -> StoreMetadata { wanted(after: store.metadata) }

  /// Whether written metadata contain everything that was set.
  func isWritten(in metadata: StoreMetadata) -> Bool {
    wanted(after: metadata) == metadata
  }

  private func wanted(after stored: StoreMetadata) -> StoreMetadata {
    wanted.keepingOthers(in: stored, since: earlier)
  }
}
