// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// What the commit of a change set writes: its records with what is derived from them, its metadata, and what the
/// history says of it; or what stands in its way.
struct CommitPlan {
  private(set) var receipt = CommitReceipt()
  let conflicts: [StoreConflict]

  /// Judges a change set over the state that it would be written to.
  ///
  /// - Parameters:
  ///   - known: The metadata from which those of the change set were made.
  ///   - batch: Empty; filled when nothing stands in the way.
  init(
    _ changes: StoreChangeSet, schema: KeyValueSchema, snapshot: any KeyValueSnapshot,
    known: @autoclosure () -> StoreMetadata, into batch: inout WriteBatch
  ) throws {
    let records = SnapshotRecords(schema: schema, snapshot: snapshot)
    let derived = try changes.deriving(schema.schema.derivations(), from: records)
    var writer = CommitWriter(derived.changes, schema: schema, snapshot: snapshot)
    try writer.write()
    conflicts = writer.conflicts
    guard conflicts.isEmpty else { return }
    swap(&batch, &writer.batch)
    receipt.recomputed = derived.recomputed
    if changes.hasMetadata, let metadata = changes.metadata {
      let known = known()
      let stored = try KeyValueStore.metadata(in: snapshot) ?? known
      try KeyValueStore.write(metadata.keepingOthers(in: stored, since: known), to: &batch)
    }
    guard let history = schema.history else { return }
    let noted =
      history.keepsValues
      ? try derived.changes.notingPrevious(of: schema.schema, from: records) : derived.changes
    receipt.position = try history.add(noted, of: schema.schema, over: snapshot, to: &batch)
  }
}
