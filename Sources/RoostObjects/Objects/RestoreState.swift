// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RestoreState {
  /// Restores the values of the last fetch or save.
  func restoreCommitted() {
    defer { owner.observers.tellReplacement() }
    if owner.memory != nil, let snapshot = owner.snapshot {
      let restored =
        owner.binding.slotPlan.hasTransient ? restoredWithTransients(snapshot) : snapshot
      owner.row = restored
      owner.memory = restored.base
    }
    owner.settled.removeAll()
    owner.changedSlots.removeAll()
    for (ordinal, state) in owner.links.enumerated() where owner.changedLinks.contains(ordinal) {
      switch state {
      case .unloaded: break
      case .toOne: owner.links[ordinal] = .unloaded
      case .toMany(let links): links.rollback()
      }
    }
    owner.changedLinks.removeAll()
  }

  /// Takes over newer committed values, below the object's unsaved changes (B116).
  func rebase(on fresh: Row) {
    defer { owner.observers.tellReplacement() }
    owner.fetchedProperties.forgetFetchedValues()
    guard let old = owner.row, owner.memory != nil else {
      owner.attach(fresh)
      return
    }
    forgetEqualDestinations()
    let merged = fresh.copy()
    for index in owner.changedSlots.indices {
      let slot = owner.binding.layout.slots[index]
      // A value set to the same value is no change, and does not override the store's (B55).
      if let base = owner.snapshot, old.equals(base, at: slot) { continue }
      merged.copySlot(slot, from: old)
    }
    for slot in owner.binding.slotPlan.transient { merged.copySlot(slot, from: old) }
    owner.snapshot = fresh
    owner.row = owner.hasChanges || owner.binding.slotPlan.hasTransient ? merged : fresh
    owner.memory = owner.row?.base
    owner.settled.removeAll()
    for (ordinal, state) in owner.links.enumerated() {
      let isChanged = owner.changedLinks.contains(ordinal)
      switch state {
      case .toOne where !isChanged: owner.links[ordinal] = .unloaded
      case .toMany(let known) where !isChanged && !known.hasChanges:
        owner.links[ordinal] = .unloaded
      case .toMany(let known) where !owner.binding.relationships[ordinal].isTransient:
        known.unload()
      default: break
      }
    }
  }

  private func restoredWithTransients(_ committed: Row) -> Row {
    let result = committed.copy()
    if let row = owner.row {
      for slot in owner.binding.slotPlan.transient { result.copySlot(slot, from: row) }
    }
    return result
  }
}

extension RestoreState {
  /// Calls ``awake(fromSnapshotEvents:)`` with change tracking off: values set there are part of the new state, not
  /// changes. A fault is not called; its awakeFromFetch runs when it has values again.
  func awaken(after events: SnapshotEventType) {
    owner.observers.tellReplacement()
    guard !owner.isFault, owner.context != nil else { return }
    let wasAwakening = owner.flags.contains(.awakening)
    owner.flags.insert(.awakening)
    owner.awake(fromSnapshotEvents: events)
    if !wasAwakening { owner.flags.remove(.awakening) }
  }
}
