// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Brings an object whose record was changed or removed meanwhile to a state that can be saved.
struct VersionResolution {
  let object: ManagedObject
  /// The record as it is now; nil when it is gone.
  let current: Row?

  /// Applies a policy; the error policy changes nothing.
  ///
  /// - Throws: What a store throws that has to be asked for it.
  func apply(_ type: MergePolicyType) throws {
    guard type != .errorMergePolicyType else { return }
    guard let current else {
      try applyToGone(type)
      return
    }
    if object.flags.contains(.deleted) {
      // Deleted here, changed there (B184).
      if type.favorsObject { object.rebaseDeletion(on: current) } else { object.undelete(current) }
      return
    }
    switch type {
    case .rollbackMergePolicyType: object.dropChanges(for: current)
    case .overwriteMergePolicyType: object.layWhole(over: current)
    case .mergeByPropertyStoreTrumpMergePolicyType:
      object.layChanges(over: current, winner: .store)
    default: object.layChanges(over: current, winner: .object)
    }
  }

  /// The record is gone (B183).
  private func applyToGone(_ type: MergePolicyType) throws {
    if object.flags.contains(.deleted) {
      // Gone as it should be.
      object.flags.insert(.inaccessible)
    } else if type.favorsObject {
      try object.resurrect()
    } else {
      object.becomeDeletedBelow()
    }
  }
}

extension ManagedObject {
  /// Lays what was changed here over a newer row; where both sides changed a value, one wins.
  final func layChanges(over current: Row, winner: RowMerge.Winner) {
    guard memory != nil, let mine = row, let base = snapshot else {
      attach(current)
      return
    }
    let merge = RowMerge(base: base, mine: mine, theirs: current, winner: winner)
    var lost: [RelationshipDescription] = []
    for relationship in binding.relationships {
      guard case .toOne(let slot) = relationship.storage else { continue }
      let isChanged = hasChangedDestination(relationship)
      if isChanged, merge.keepsMine(at: slot, changedHere: true) { continue }
      if isChanged { lost.append(relationship) }
      if !merge.theirs.equals(base, at: slot) {
        context?.forgetInverse(of: relationship, from: self, keys: [base, current], slot: slot)
      }
    }
    for relationship in lost { detach(relationship) }
    let (merged, kept) = merge.merged(binding.storedSlots.filter { $0.kind != .reference })
    for slot in binding.transientSlots { merged.copySlot(slot, from: mine) }
    takeOver(snapshot: current, row: merged, kept: kept)
  }

  /// Puts the whole object over a newer row (B181).
  final func layWhole(over current: Row) {
    guard memory != nil, let mine = row else {
      attach(current)
      return
    }
    let own = mine.copy(key: current.key, version: current.version)
    var kept = PropertyMask()
    for slot in binding.storedSlots where !own.equals(current, at: slot) { kept.insert(slot.index) }
    snapshot = current
    row = own
    memory = own.base
    settled.removeAll()
    changedSlots = kept
    // An object that only watched its record has a change now (B174).
    context?.changes.noteUpdate(of: self)
  }

  /// Drops what was changed here and takes over a newer row (B182).
  final func dropChanges(for current: Row) {
    revertRelationships()
    context?.changes.forget(self)
    for relationship in binding.relationships {
      guard case .toOne(let slot) = relationship.storage, let snapshot else { continue }
      if !current.equals(snapshot, at: slot) {
        context?.forgetInverse(of: relationship, from: self, keys: [snapshot, current], slot: slot)
      }
    }
    changedLinks.removeAll()
    takeOver(snapshot: current, row: current, kept: PropertyMask())
  }

  /// Makes newer values the committed ones; relationships that were not changed here are looked up anew.
  private final func takeOver(snapshot newSnapshot: Row, row newRow: Row, kept: PropertyMask) {
    snapshot = newSnapshot
    row = newRow
    memory = newRow.base
    settled.removeAll()
    changedSlots = kept
    for relationship in binding.relationships where !links.isEmpty && !relationship.isTransient {
      switch links[relationship.ordinal] {
      case .toOne where !changedLinks.contains(relationship.ordinal):
        links[relationship.ordinal] = .unloaded
      case .toMany(let known): known.unload()
      default: break
      }
    }
  }

  /// Whether the destination of a to-one relationship was changed to another one.
  final func hasChangedDestination(_ relationship: RelationshipDescription) -> Bool {
    guard changedLinks.contains(relationship.ordinal), !links.isEmpty,
      case .toOne(let destination) = links[relationship.ordinal]
    else { return false }
    return destination?.identity.current != committedDestination(relationship)
  }

  /// Gives up a destination that lost against the store's: the inverses forget it.
  final func detach(_ relationship: RelationshipDescription) {
    setDestination(relationship, nil)
    changedLinks.remove(relationship.ordinal)
  }

  /// Takes back every change of a relationship, on both sides.
  final func revertRelationships() {
    guard !links.isEmpty else { return }
    for relationship in binding.relationships where changedLinks.contains(relationship.ordinal) {
      switch links[relationship.ordinal] {
      case .unloaded: break
      case .toOne:
        let committed = committedDestination(relationship).flatMap { context?.object(with: $0) }
        let isThere = committed?.flags.isDisjoint(with: .propagated) ?? false
        setDestination(relationship, isThere ? committed : nil)
      case .toMany(let known):
        for other in known.added { removeDestination(relationship, other) }
        for other in known.removed.values where !other.flags.contains(.deleted) {
          addDestination(relationship, other)
        }
        known.rollback()
      }
    }
  }
}
