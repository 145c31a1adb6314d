// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

extension AttachedStore {
  /// Ends a part by hand, and records that in the store's metadata.
  ///
  /// The record is written first, so that no part is ended without one. While a part that writes metadata itself, or
  /// cannot be read, is in the store, no other metadata can be written: then the record is written afterwards. If
  /// another such part is left, the next save of the store writes it.
  ///
  /// - Parameters:
  ///   - part: The part.
  ///   - isCommitted: Whether the part is committed.
  ///   - backend: The store.
  ///   - end: Ends the part.
  /// - Throws: What `end` throws.
  func recording(
    _ part: PreparedPart, isCommitted: Bool, in backend: any PersistentStore,
    _ end: () throws -> Void
  ) throws {
    let record = SaveEndedByHand(of: part, isCommitted: isCommitted, endedAt: Date())
    func isWritten() -> Bool {
      let known = backend.metadata
      var changes = StoreChangeSet(metadata: known)
      changes.metadata?.note(record)
      changes.earlierMetadata = known
      guard case .committed? = try? backend.commit(changes) else { return false }
      return true
    }
    let isRecorded = isWritten()
    try end()
    guard !isRecorded, !isWritten() else { return }
    var metadata = pendingMetadata ?? backend.metadata
    metadata.note(record)
    pendingMetadata = metadata
    log.remark(
      "That a save over several stores was ended by hand is recorded with the next save: \(record.id)."
    )
  }
}
