// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Puts two changes of one record together, value by value: what only one side changed stands, and where both changed a
/// value, one side wins (B179, B180). It knows rows and nothing else.
struct RowMerge {
  /// Whose value stands where both sides changed it.
  enum Winner {
    case object
    case store
  }

  /// What both sides began with.
  let base: Row
  /// What is in memory.
  let mine: Row
  /// What is in the store.
  let theirs: Row
  let winner: Winner

  /// Whether the value of memory stands.
  func keepsMine(at slot: RowSlot) -> Bool {
    keepsMine(at: slot, changedHere: !mine.equals(base, at: slot))
  }

  /// Whether the value of memory stands, where the caller knows whether it was changed.
  func keepsMine(at slot: RowSlot, changedHere: Bool) -> Bool {
    changedHere && (winner == .object || theirs.equals(base, at: slot))
  }

  /// The row of the store with the values of memory that stand, and which those are.
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
