// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Replacing one object with another: merge policies do so for two objects that are the same record.
extension SaveEngine {
  /// Replaces a record's object with a new object: it gets the record's ID, and objects related to the old one are
  /// related to it.
  ///
  /// - Parameters:
  ///   - old: The object that leaves the context.
  ///   - object: The new object.
  ///   - row: Its values.
  ///   - snapshot: The record's values.
  func replace(_ old: ManagedObject, by object: ManagedObject, row: Row, snapshot: Row) {
    let id = old.identity
    uniteLinks(of: old, with: object)
    context.saving.replacements.add(old, by: object)
    old.links = LinkStates()
    leave(old)
    context.changes.forget(object)
    becomePermanent(object, id)
    object.snapshot = snapshot
    object.row = row
    object.memory = row.base
    object.settled.removeAll()
    object.changedSlots.removeAll()
    for slot in object.binding.slotPlan.stored where !row.equals(snapshot, at: slot) {
      object.changedSlots.insert(slot.index)
    }
    context.changes.noteUpdate(of: object)
  }

  /// Removes a new object that is replaced by another one; objects related to it are related to that one.
  func dismiss(_ object: ManagedObject, inFavorOf survivor: ManagedObject? = nil) {
    if let survivor {
      context.saving.replacements.add(object, by: survivor)
    } else {
      for relationship in object.binding.relationships {
        for member in object.related.allDestinations(relationship) {
          object.editor.sever(relationship, member)
        }
      }
    }
    object.links = LinkStates()
    leave(object)
  }

  private func leave(_ object: ManagedObject) {
    context.forget(object)
    object.flags.insert(.gone)
  }

  /// Combines the destinations of both objects in to-many relationships; changes of the old one stay changes.
  private func uniteLinks(of old: ManagedObject, with object: ManagedObject) {
    for relationship in object.binding.relationships where relationship.isToMany {
      guard !relationship.isTransient else { continue }
      let added = object.related.destinations(relationship)
      let known = old.related.toManyLinks(relationship)
      for member in added { known.add(member) }
      object.editor.setLink(.toMany(known), relationship.ordinal)
      if known.hasChanges { object.changedLinks.insert(relationship.ordinal) }
    }
    for relationship in object.binding.relationships {
      guard case .toOne = relationship.storage, !old.links.isEmpty,
        old.changedLinks.contains(relationship.ordinal),
        object.links.isEmpty
          || object.links[relationship.ordinal].isUnloaded
      else { continue }
      object.editor.setLink(old.links[relationship.ordinal], relationship.ordinal)
      object.changedLinks.insert(relationship.ordinal)
    }
  }
}
