// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// Metadata that a program has set and that no save has written yet: what they change, whatever is stored meanwhile.
struct PendingMetadata: Sendable {
  private let wanted: StoreMetadata
  private let earlier: [String: MetadataValue]

  /// - Parameter stored: What was stored when they were set.
  init(_ wanted: StoreMetadata, since stored: StoreMetadata) {
    self.wanted = wanted
    earlier = stored.userValues
  }

  /// What is to be written to a store now. What is left of a migration and of a move is the store's to say, and values
  /// that saves of their own have written stay.
  func metadata(of store: any PersistentStore) -> StoreMetadata { wanted(after: store.metadata) }

  /// Whether metadata that were written have all that was set.
  func isWritten(in metadata: StoreMetadata) -> Bool {
    wanted(after: metadata) == metadata
  }

  private func wanted(after stored: StoreMetadata) -> StoreMetadata {
    var metadata = wanted
    metadata.setDeferredSteps(stored.deferredSteps ?? [])
    (metadata.predecessors, metadata.successor) = (stored.predecessors, stored.successor)
    metadata.userValues = stored.userValues.applying(
      changesTo: wanted.userValues, since: earlier)
    return metadata
  }
}
