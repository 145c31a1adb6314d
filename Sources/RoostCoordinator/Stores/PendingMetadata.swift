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

  /// Whether written metadata contain everything that was set.
  func isWritten(in metadata: StoreMetadata) -> Bool {
    wanted(after: metadata) == metadata
  }

  /// Returns the metadata to write over the stored ones. The state of a migration or a move is taken from these, and
  /// values that other saves have written stay.
  func wanted(after stored: StoreMetadata) -> StoreMetadata {
    wanted.keepingOthers(in: stored, since: earlier)
  }
}
