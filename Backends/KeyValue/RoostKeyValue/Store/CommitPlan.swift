// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// The writes of a commit: records with their derived values, metadata, and the history entry; or the conflicts that
/// prevent it.
struct CommitPlan {
  private(set) var receipt = CommitReceipt()
  let conflicts: [StoreConflict]

  /// Checks a change set against the snapshot over which it would be written.
  ///
  /// - Parameters:
  ///   - known: The metadata on which those of the change set are based, unless it tells others.
  ///   - batch: Empty; filled when there are no conflicts.
  init(
    _ changes: StoreChangeSet, schema: KeyValueSchema, snapshot: any KeyValueSnapshot,
    known: @autoclosure () -> StoreMetadata, into batch: inout WriteBatch
  ) throws {
    try schema.requireForeignNumbers(of: changes, in: snapshot)
    let records = SnapshotRecords(schema: schema, snapshot: snapshot)
    let derived = try changes.deriving(schema.schema.derivations(), from: records)
    var writer = CommitWriter(derived.changes, schema: schema, snapshot: snapshot)
    try writer.write()
    conflicts = writer.conflicts
    guard conflicts.isEmpty else { return }
    swap(&batch, &writer.batch)
    receipt.recomputed = derived.recomputed
    if changes.hasMetadata {
      let known = known()
      let stored = try KeyValueStore.metadata(in: snapshot) ?? known
      if let metadata = changes.metadata(over: stored, known: known) {
        try KeyValueStore.write(metadata, to: &batch)
      }
    }
    guard let history = schema.history else { return }
    let noted =
      history.keepsValues
      ? try derived.changes.notingPrevious(of: schema.schema, from: records) : derived.changes
    receipt.position = try history.add(noted, of: schema.schema, over: snapshot, to: &batch)
  }
}
