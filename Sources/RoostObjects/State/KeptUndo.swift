// SPDX-License-Identifier: Apache-2.0

/// What the undo manager keeps of an event: its record, which grows when the delete rules of its deletions are applied.
final class KeptUndo {
  var record: UndoRecord

  init(_ record: UndoRecord) {
    self.record = record
  }
}
