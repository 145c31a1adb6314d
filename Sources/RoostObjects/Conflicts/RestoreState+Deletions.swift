// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Restoring objects whose records are gone, and objects whose deletion is taken back.
extension RestoreState {
  /// Bases a deletion on the current version of the record (B184). The delete rules are applied again, to what others
  /// have related it to meanwhile.
  func rebaseDeletion(on current: Row) {
    let old = owner.snapshot
    owner.snapshot = current
    owner.row = current
    owner.memory = current.base
    owner.settled.removeAll()
    for relationship in owner.binding.relationships
    where !owner.links.isEmpty && !relationship.isTransient {
      switch (owner.links[relationship.ordinal], relationship.storage) {
      case (.toMany(let known), _): known.unload()
      case (.toOne, .toOne(let slot)) where old.map { !$0.equals(current, at: slot) } ?? true:
        owner.links[relationship.ordinal] = .unloaded
        owner.changedLinks.remove(relationship.ordinal)
      default: break
      }
    }
    owner.flags.remove(.propagated)
    owner.context?.changes.unpropagated.append(owner)
  }

  /// Takes back a deletion: the object gets the store's values and its former relationships (B184).
  func undelete(_ current: Row) {
    let severed = severedLinks()
    owner.context?.changes.forget(owner)
    owner.flags.remove(.propagated)
    owner.snapshot = current
    owner.row = current
    owner.memory = current.base
    owner.settled.removeAll()
    owner.changedSlots.removeAll()
    relate(severed)
    owner.changedLinks.removeAll()
    owner.context?.changes.forget(owner)
  }

  /// Relates the object again to what its deletion has severed it from; destinations that are deleted stay away.
  func relate(_ severed: [(RelationshipDescription, [ManagedObject])]) {
    for (relationship, members) in severed {
      guard relationship.isToMany else {
        if let id = owner.values.committedDestination(relationship),
          let destination = owner.context?.object(with: id), !destination.flags.contains(.deleted)
        {
          owner.editor.setDestination(relationship, destination)
          returnToStoredPlace(in: destination, over: relationship)
        }
        continue
      }
      let members = members.filter { !$0.flags.contains(.deleted) }
      for member in members {
        owner.editor.addDestination(relationship, member)
        returnToStoredPlace(in: member, over: relationship)
      }
      if relationship.isOrdered {
        owner.editor.returnToStoredPlaces(members, in: relationship)
      }
    }
    forgetEqualDestinations()
  }

  /// Moves the object to its stored place among the ordered destinations of an object at the other end.
  private func returnToStoredPlace(
    in destination: ManagedObject, over relationship: RelationshipDescription
  ) {
    guard let inverse = relationship.maintainedInverse, inverse.isToMany, inverse.isOrdered else {
      return
    }
    destination.editor.returnToStoredPlaces([owner], in: inverse)
  }

  /// Returns the relationships severed by a deletion, with the destinations of to-many ones.
  func severedLinks() -> [(RelationshipDescription, [ManagedObject])] {
    guard !owner.links.isEmpty else { return [] }
    var result: [(RelationshipDescription, [ManagedObject])] = []
    for relationship in owner.binding.relationships
    where owner.changedLinks.contains(relationship.ordinal) {
      switch owner.links[relationship.ordinal] {
      case .unloaded: break
      case .toOne: result.append((relationship, []))
      case .toMany(let known): result.append((relationship, Array(known.removed.values)))
      }
    }
    return result
  }

  /// Accepts the deletion by another writer: the object is deleted, and there is nothing to write.
  func becomeDeletedBelow() {
    guard let context = owner.context else { return }
    context.changes.noteDeletion(of: owner)
    owner.flags.insert([.propagated, .inaccessible])
    // No object keeps a deleted object as destination.
    context.saving.replacements.add(gone: owner)
  }

  /// Makes the save write the record again, under its ID (B183).
  ///
  /// - Throws: The error of a store that cannot tell whether destinations still exist.
  func resurrect() throws {
    guard let context = owner.context else { return }
    context.changes.forget(owner)
    owner.flags.insert(.awoken)
    // The row may be shared with another context, and the new record has another version.
    let own = owner.row?.copy()
    owner.row = own
    owner.memory = own?.base
    owner.settled.removeAll()
    context.saving.reborn.note(owner.identity, lastVersion: owner.snapshot?.version ?? 0)
    owner.snapshot = nil
    context.changes.noteInsertion(of: owner)
    try dropDanglingDestinations()
    for state in owner.links {
      if case .toMany(let known) = state { known.becomeNew() }
    }
  }

  /// Clears to-one destinations whose records are gone, as when a record was deleted together with its owner. Nobody
  /// knows that of a record whose store is not attached (X45).
  private func dropDanglingDestinations() throws {
    guard let context = owner.context, let row = owner.row else { return }
    for relationship in owner.binding.relationships {
      guard case .toOne = relationship.storage,
        let other = owner.related.destination(relationship.ordinal),
        !other.flags.contains(.inserted), !other.identity.isTemporaryID,
        context.loader.isReachable(other.identity)
      else { continue }
      guard try context.saver.storedRows(for: [other.identity])[0] == nil else { continue }
      owner.editor.setDestination(relationship, nil)
      if case .toOne(let slot) = relationship.storage { row.setNull(slot) }
    }
  }

  /// Makes a relationship load again; unsaved changes stay on top.
  func forgetLoaded(_ relationship: RelationshipDescription) {
    guard !owner.links.isEmpty, !relationship.isTransient,
      let own = owner.binding.relationship(named: relationship.name)
    else { return }
    switch owner.links[own.ordinal] {
    case .unloaded: break
    case .toOne:
      if !owner.changedLinks.contains(own.ordinal) { owner.links[own.ordinal] = .unloaded }
    case .toMany(let known): known.unload()
    }
  }
}
