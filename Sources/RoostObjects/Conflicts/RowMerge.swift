// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Three-way merge of two changes of one record, value by value: a change of one side is kept, and if both changed a
/// value, one side wins (B179, B180). It depends on rows only.
struct RowMerge {
  /// The side whose value is kept if both changed it.
  enum Winner {
    case object
    case store
  }

  /// The common ancestor of both changes.
  let base: Row
  /// The row in memory.
  let mine: Row
  /// The row in the store.
  let theirs: Row
  let winner: Winner

  /// Whether the value in memory is kept.
  func keepsMine(at slot: RowSlot) -> Bool {
    keepsMine(at: slot, changedHere: !mine.equals(base, at: slot))
  }

  /// Whether the value in memory is kept, for a caller that knows whether it was changed.
  func keepsMine(at slot: RowSlot, changedHere: Bool) -> Bool {
    changedHere && (winner == .object || theirs.equals(base, at: slot))
  }

  /// Returns the store's row with the kept values of memory, and the slots of those.
  func merged(_ slots: [RowSlot]) -> (row: Row, kept: PropertyMask) {
    let row = theirs.copy()
    var kept = PropertyMask()
    for slot in slots where keepsMine(at: slot) {
      row.copySlot(slot, from: mine)
      kept.insert(slot.index)
    }
    return (row, kept)
  }
}
