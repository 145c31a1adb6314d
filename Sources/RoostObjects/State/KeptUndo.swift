// SPDX-License-Identifier: Apache-2.0

/// A reference to an event's undo record, which grows when the delete rules of its deletions are applied.
final class KeptUndo {
  var record: UndoRecord

  init(_ record: UndoRecord) {
    self.record = record
  }
}
