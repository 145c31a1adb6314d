// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ManagedObject {
  /// Takes over the derived attributes of a row that the store has written (B308). Everything else stays as it is, the
  /// version too.
  final func takeDerivedValues(from stored: Row) {
    guard let current = row, !binding.derivedSlots.isEmpty else { return }
    let isClean = snapshot?.isIdentical(to: current) ?? false
    let fresh = current.copy()
    if let snapshot {
      let committed = isClean ? fresh : snapshot.copy()
      for slot in binding.derivedSlots { committed.copySlot(slot, from: stored) }
      self.snapshot = committed
    }
    for slot in binding.derivedSlots { fresh.copySlot(slot, from: stored) }
    row = fresh
    if memory != nil { memory = fresh.base }
    settled.removeAll()
  }
}
