// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RestoreState {
  /// Takes over the derived attributes of a row as the store has written it (B308). All other values, and the
  /// version, stay.
  func takeDerivedValues(from stored: Row) {
    guard let current = owner.row, !owner.binding.slotPlan.derived.isEmpty else { return }
    let isClean = owner.snapshot?.isIdentical(to: current) ?? false
    let fresh = current.copy()
    if let snapshot = owner.snapshot {
      let committed = isClean ? fresh : snapshot.copy()
      for slot in owner.binding.slotPlan.derived { committed.copySlot(slot, from: stored) }
      owner.snapshot = committed
    }
    for slot in owner.binding.slotPlan.derived { fresh.copySlot(slot, from: stored) }
    owner.row = fresh
    if owner.memory != nil { owner.memory = fresh.base }
    owner.settled.removeAll()
  }
}
