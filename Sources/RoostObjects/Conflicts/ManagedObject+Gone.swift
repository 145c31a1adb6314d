// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Objects whose records are gone, and objects whose deletion is taken back.
extension ManagedObject {
  /// Deletes the version of the record that is in the store now (B184).
  final func rebaseDeletion(on current: Row) {
    snapshot = current
    row = current
    memory = current.base
    settled.removeAll()
  }

  /// Takes a deletion back: the object has the store's values and is related again as it was (B184).
  final func undelete(_ current: Row) {
    let severed = severedLinks()
    context?.changes.forget(self)
    flags.remove(.propagated)
    snapshot = current
    row = current
    memory = current.base
    settled.removeAll()
    changedSlots.removeAll()
    for (relationship, members) in severed {
      guard relationship.isToMany else {
        if let id = committedDestination(relationship) {
          setDestination(relationship, context?.object(with: id))
        }
        continue
      }
      for member in members where !member.flags.contains(.deleted) {
        addDestination(relationship, member)
      }
    }
    changedLinks.removeAll()
    context?.changes.forget(self)
  }

  /// The relationships that a deletion ended, with the destinations of those to many.
  private final func severedLinks() -> [(RelationshipDescription, [ManagedObject])] {
    guard !links.isEmpty else { return [] }
    var result: [(RelationshipDescription, [ManagedObject])] = []
    for relationship in binding.relationships where changedLinks.contains(relationship.ordinal) {
      switch links[relationship.ordinal] {
      case .unloaded: break
      case .toOne: result.append((relationship, []))
      case .toMany(let known): result.append((relationship, Array(known.removed.values)))
      }
    }
    return result
  }

  /// The record was removed by somebody else, and that stands: the object is deleted, and there is nothing to write.
  final func becomeDeletedBelow() {
    guard let context else { return }
    context.changes.noteDeletion(of: self)
    flags.insert([.propagated, .inaccessible])
    // Nobody keeps a destination that is gone.
    context.replacements.add(gone: self)
  }

  /// Writes the record again, under its ID (B183).
  ///
  /// - Throws: What a store throws that cannot tell whether destinations are still there.
  final func resurrect() throws {
    guard let context else { return }
    context.changes.forget(self)
    flags.insert(.awoken)
    // The row may be another context's as well, and the new record has another version.
    let own = row?.copy()
    row = own
    memory = own?.base
    settled.removeAll()
    snapshot = nil
    context.changes.noteInsertion(of: self)
    try dropDanglingDestinations()
    for state in links {
      if case .toMany(let known) = state { known.becomeNew() }
    }
  }

  /// Gives up to-one destinations whose records are gone, as when the record went with its owner.
  private final func dropDanglingDestinations() throws {
    guard let context, let row else { return }
    for relationship in binding.relationships {
      guard case .toOne = relationship.storage, let other = destination(relationship.ordinal),
        !other.flags.contains(.inserted), !other.identity.isTemporaryID
      else { continue }
      guard try context.storedRows(for: [other.identity])[0] == nil else { continue }
      setDestination(relationship, nil)
      if case .toOne(let slot) = relationship.storage { row.setNull(slot) }
    }
  }
}

extension ManagedObjectContext {
  /// Lets the loaded inverses of a to-one relationship be looked up anew, at the destination that was and the one that
  /// is.
  func forgetInverse(
    of relationship: RelationshipDescription, from source: ManagedObject, keys rows: [Row],
    slot: RowSlot
  ) {
    guard let inverse = relationship.maintainedInverse else { return }
    for row in rows {
      guard let key = row.reference(slot), let id = destinationID(forKey: key, from: source),
        let destination = registry.object(for: id), !destination.links.isEmpty
      else { continue }
      destination.forgetLoaded(inverse)
    }
  }
}

extension ManagedObject {
  /// Lets a relationship be looked up anew; what was changed here stays on top.
  final func forgetLoaded(_ relationship: RelationshipDescription) {
    guard !links.isEmpty, !relationship.isTransient,
      let own = binding.relationship(named: relationship.name)
    else { return }
    switch links[own.ordinal] {
    case .unloaded: break
    case .toOne: if !changedLinks.contains(own.ordinal) { links[own.ordinal] = .unloaded }
    case .toMany(let known): known.unload()
    }
  }
}
