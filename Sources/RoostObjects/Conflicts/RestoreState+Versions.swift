// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RestoreState {
  /// Merges the object's changes into a newer row; if both sides changed a value, the winner's is kept.
  func layChanges(over current: Row, winner: RowMerge.Winner) {
    guard owner.memory != nil, let mine = owner.row, let base = owner.snapshot else {
      owner.attach(current)
      return
    }
    let merge = RowMerge(base: base, mine: mine, theirs: current, winner: winner)
    var lost: [RelationshipDescription] = []
    forgetEqualDestinations()
    for relationship in owner.binding.relationships {
      guard case .toOne(let slot) = relationship.storage else { continue }
      let isChanged = hasChangedDestination(relationship)
      if isChanged, merge.keepsMine(at: slot, changedHere: true) { continue }
      if isChanged { lost.append(relationship) }
      if !merge.theirs.equals(base, at: slot) {
        owner.context?.saver.forgetInverse(
          of: relationship, from: owner, keys: [base, current], slot: slot)
      }
    }
    for relationship in lost { detach(relationship) }
    let (merged, kept) = merge.merged(
      owner.binding.slotPlan.stored.filter { $0.kind != .reference })
    for slot in owner.binding.slotPlan.transient { merged.copySlot(slot, from: mine) }
    takeOver(snapshot: current, row: merged, kept: kept)
  }

  /// Replaces a newer row with the whole object (B181).
  func layWhole(over current: Row) {
    guard owner.memory != nil, let mine = owner.row else {
      owner.attach(current)
      return
    }
    let own = mine.copy(key: current.key, version: current.version)
    var kept = PropertyMask()
    for slot in owner.binding.slotPlan.stored where !own.equals(current, at: slot) {
      kept.insert(slot.index)
    }
    owner.snapshot = current
    owner.row = own
    owner.memory = own.base
    owner.settled.removeAll()
    owner.changedSlots = kept
    // An object whose record was only compared has a change now (B174).
    owner.context?.changes.noteUpdate(of: owner)
  }

  /// Discards the object's changes and takes over a newer row (B182).
  func dropChanges(for current: Row) {
    revertRelationships()
    owner.context?.changes.forget(owner)
    for relationship in owner.binding.relationships {
      guard case .toOne(let slot) = relationship.storage, let snapshot = owner.snapshot else {
        continue
      }
      if !current.equals(snapshot, at: slot) {
        owner.context?.saver.forgetInverse(
          of: relationship, from: owner, keys: [snapshot, current], slot: slot)
      }
    }
    owner.changedLinks.removeAll()
    takeOver(snapshot: current, row: current, kept: PropertyMask())
  }

  /// Makes newer values the committed ones; unchanged relationships load again.
  private func takeOver(snapshot newSnapshot: Row, row newRow: Row, kept: PropertyMask) {
    owner.snapshot = newSnapshot
    owner.row = newRow
    owner.memory = newRow.base
    owner.settled.removeAll()
    owner.changedSlots = kept
    for relationship in owner.binding.relationships
    where !owner.links.isEmpty && !relationship.isTransient {
      switch owner.links[relationship.ordinal] {
      case .toOne where !owner.changedLinks.contains(relationship.ordinal):
        owner.links[relationship.ordinal] = .unloaded
      case .toMany(let known): known.unload()
      default: break
      }
    }
  }

  /// Whether a to-one relationship has another destination than before.
  func hasChangedDestination(_ relationship: RelationshipDescription) -> Bool {
    guard owner.changedLinks.contains(relationship.ordinal), !owner.links.isEmpty,
      case .toOne(let destination) = owner.links[relationship.ordinal]
    else { return false }
    return destination?.identity.current != owner.values.committedDestination(relationship)
  }

  /// Forgets that to-one relationships were set to the destinations that they had: as an attribute's equal value,
  /// that is no change, and does not override the store's (B55).
  func forgetEqualDestinations() {
    guard !owner.changedLinks.isEmpty, !owner.links.isEmpty else { return }
    for relationship in owner.binding.relationships where !relationship.isTransient {
      guard case .toOne = owner.links[relationship.ordinal],
        owner.changedLinks.contains(relationship.ordinal), !hasChangedDestination(relationship)
      else { continue }
      owner.changedLinks.remove(relationship.ordinal)
    }
  }

  /// Clears a destination that lost to the store's; the inverses are updated.
  func detach(_ relationship: RelationshipDescription) {
    owner.editor.setDestination(relationship, nil)
    owner.changedLinks.remove(relationship.ordinal)
  }

  /// Takes back all changes of relationships, on both sides.
  func revertRelationships() {
    guard !owner.links.isEmpty else { return }
    for relationship in owner.binding.relationships
    where owner.changedLinks.contains(relationship.ordinal) {
      switch owner.links[relationship.ordinal] {
      case .unloaded: break
      case .toOne:
        let committed = owner.values.committedDestination(relationship).flatMap {
          owner.context?.object(with: $0)
        }
        let isThere = committed?.flags.isDisjoint(with: .propagated) ?? false
        owner.editor.setDestination(relationship, isThere ? committed : nil)
      case .toMany(let known):
        for other in known.added { owner.editor.removeDestination(relationship, other) }
        for other in known.removed.values where !other.flags.contains(.deleted) {
          owner.editor.addDestination(relationship, other)
        }
        known.rollback()
      }
    }
  }

  /// Increments the object's version, as a save did for its unchanged record.
  func countVersionUp() {
    guard let old = owner.snapshot, let own = owner.row else { return }
    let fresh = old.copy(version: old.version &+ 1)
    owner.snapshot = fresh
    guard own.isIdentical(to: old) else {
      own.identify(key: own.key, version: fresh.version)
      return
    }
    owner.row = fresh
    owner.memory = fresh.base
    owner.settled.removeAll()
  }

  /// Removes all destinations of to-many relationships.
  func giveUpDestinations() {
    for relationship in owner.binding.relationships where relationship.isToMany {
      for member in owner.related.destinations(relationship) {
        owner.editor.removeDestination(relationship, member)
      }
    }
  }

  /// Undoes the effects of a policy on an object registered since the checkpoint: a new object is removed, any other
  /// gets its committed values.
  func dropWhatWasDone(in context: ManagedObjectContext) {
    if owner.flags.contains(.inserted) || owner.snapshot == nil, owner.row != nil {
      context.registry.remove(owner)
      owner.orphan.leaveContext()
      owner.flags.insert(.gone)
    } else {
      owner.row = owner.snapshot
      owner.memory = owner.memory == nil ? nil : owner.snapshot?.base
      owner.links = LinkStates()
    }
    owner.flags.subtract(.changed)
    owner.flags.subtract(.ofEvent)
    owner.flags.remove(.propagated)
    owner.settled.removeAll()
    owner.changedSlots.removeAll()
    owner.changedLinks.removeAll()
    owner.trackingIndex = -1
  }
}
