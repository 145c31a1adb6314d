// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Resolves a uniqueness conflict so that one object has the values (B193, B194).
///
/// A new object that claims the values of a stored record takes that record over: it gets its ID, each attribute and
/// to-one destination by the policy, and the destinations of both in to-many relationships. New objects with the same
/// values become one. When two records are in conflict, a policy that favours the object removes the record that has
/// the values, and one that favours the store restores the object's old values.
struct ConstraintResolution {
  let conflict: ConstraintConflict
  let type: MergePolicyType

  /// Applies the policy; the error policy changes nothing.
  func apply() {
    guard type != .errorMergePolicyType else { return }
    let objects = conflict.conflictingObjects.filter { $0.context != nil }
    if let holder = conflict.databaseObject, let row = conflict.databaseRow {
      settle(objects, against: holder, row)
    } else {
      settleAmong(objects)
    }
  }

  /// Settles a conflict between one stored record that has the values and the objects that claim them.
  ///
  /// A conflict of another constraint may have settled the fate of the record before. It has one object at a time
  /// (B32): an object that still has the values of the record's new object is merged into that one, and any other is
  /// left to the next attempt to save.
  private func settle(_ objects: [ManagedObject], against holder: ManagedObject, _ row: Row) {
    let current = objects.first?.context?.saving.replacements.successor(of: holder)
    guard let current, !current.flags.contains(.deleted) else { return }
    guard current === holder else {
      for object in objects where object !== current { mergeIfEqual(object, into: current) }
      return
    }
    var survivor: ManagedObject?
    for object in objects {
      if let survivor {
        merge(object, into: survivor)
      } else if canTakeOver(object, holder) {
        takeOver(holder, row, by: object)
        survivor = object
      } else if type.favorsObject {
        holder.context?.delete(holder)
        survivor = object
      } else {
        giveUp(object)
      }
    }
  }

  /// Settles a conflict between unsaved changes: a record precedes a new object, an earlier change a later one.
  private func settleAmong(_ objects: [ManagedObject]) {
    let stored = objects.filter { !isNew($0) }
    let new = objects.filter(isNew)
    guard let record = stored.first else {
      guard let first = new.first else { return }
      for object in new.dropFirst() { mergeIfEqual(object, into: first) }
      return
    }
    for object in stored.dropFirst() where collide(object, record) {
      revertConstraint(of: object)
    }
    guard let first = new.first(where: { collide($0, record) }) else { return }
    if canTakeOver(first, record), let row = record.snapshot {
      takeOver(record, row, by: first)
      for object in new where object !== first { mergeIfEqual(object, into: first) }
    } else {
      for object in new { mergeIfEqual(object, into: record) }
    }
  }

  /// Merges an object into another one, unless a conflict settled before has given one of them other values: then the
  /// next attempt to save determines whether there is still a conflict.
  private func mergeIfEqual(_ object: ManagedObject, into survivor: ManagedObject) {
    if collide(object, survivor) { merge(object, into: survivor) }
  }

  private func collide(_ left: ManagedObject, _ right: ManagedObject) -> Bool {
    left.values.collide(with: right, under: conflict.constraint)
  }

  private func isNew(_ object: ManagedObject) -> Bool {
    object.flags.contains(.inserted) && object.identity.isTemporaryID
  }

  /// An ID belongs to an entity: only an object of the same one can take it over.
  private func canTakeOver(_ object: ManagedObject, _ holder: ManagedObject) -> Bool {
    isNew(object) && object.entity === holder.entity
  }

  /// Makes an object give up the values.
  private func giveUp(_ object: ManagedObject) {
    object.context?.saver.catchUp(object)
    guard isNew(object) else {
      if type == .rollbackMergePolicyType, let snapshot = object.snapshot {
        object.restoring.dropChanges(for: snapshot)
      } else {
        revertConstraint(of: object)
      }
      return
    }
    object.context?.saver.dismiss(object)
  }

  private func revertConstraint(of object: ManagedObject) {
    for key in conflict.constraint { object.values.revertConstrainedValue(forKey: key) }
  }
}

// MARK: - One object out of two

extension ConstraintResolution {
  /// Gives a new object the ID of a record, and the record's values that the policy keeps.
  private func takeOver(_ holder: ManagedObject, _ stored: Row, by object: ManagedObject) {
    guard let context = object.context, let mine = object.row else { return }
    context.saver.catchUp(object)
    context.saver.catchUp(holder)
    let theirs = values(of: holder, over: stored)
    let merged = theirs.copy(key: stored.key, version: stored.version)
    let defaults = object.binding.defaults
    for slot in object.binding.slotPlan.stored where slot.kind != .reference {
      let isSet = object.changedSlots.contains(slot.index) || !mine.equals(defaults, at: slot)
      if stands(isSet, against: !theirs.equals(defaults, at: slot)) {
        merged.copySlot(slot, from: mine)
      }
    }
    for slot in object.binding.slotPlan.transient { merged.copySlot(slot, from: mine) }
    for relationship in object.binding.relationships {
      guard case .toOne(let slot) = relationship.storage else { continue }
      let isSet = object.related.destination(relationship.ordinal) != nil
      if !stands(isSet, against: !theirs.isNull(slot)) {
        object.restoring.detach(relationship)
        if !object.links.isEmpty { object.links[relationship.ordinal] = .unloaded }
      }
    }
    if type == .rollbackMergePolicyType { object.restoring.giveUpDestinations() }
    context.saver.replace(holder, by: object, row: merged, snapshot: stored)
  }

  /// Returns a record's values with the unsaved changes of its object. What the object has read is no change: it may
  /// be older than the record.
  private func values(of holder: ManagedObject, over stored: Row) -> Row {
    guard let mine = holder.row, let base = holder.snapshot, !mine.isIdentical(to: base) else {
      return stored
    }
    let merge = RowMerge(
      base: base, mine: mine, theirs: stored, winner: type.favorsObject ? .object : .store)
    return merge.merged(holder.binding.slotPlan.stored.filter { $0.kind != .reference }).row
  }

  /// Whether the new object's value wins.
  private func stands(_ isSetHere: Bool, against isSetThere: Bool) -> Bool {
    switch type {
    case .overwriteMergePolicyType: true
    case .mergeByPropertyObjectTrumpMergePolicyType: isSetHere
    case .mergeByPropertyStoreTrumpMergePolicyType: isSetHere && !isSetThere
    default: false
    }
  }

  /// Merges a new object into another object, and forgets it.
  private func merge(_ object: ManagedObject, into survivor: ManagedObject) {
    guard isNew(object) else {
      revertConstraint(of: object)
      return
    }
    object.context?.saver.catchUp(object)
    survivor.context?.saver.catchUp(survivor)
    guard type != .rollbackMergePolicyType else {
      object.context?.saver.dismiss(object)
      return
    }
    mergeAttributes(of: object, into: survivor)
    mergeRelationships(of: object, into: survivor)
    object.context?.saver.dismiss(object, inFavorOf: survivor)
  }

  private func mergeAttributes(of object: ManagedObject, into survivor: ManagedObject) {
    guard let mine = object.row, let theirs = survivor.row else { return }
    let defaults = object.binding.defaults
    for attribute in object.binding.attributes {
      guard let own = survivor.binding.attribute(named: attribute.name) else { continue }
      let isSet = attribute.slots.contains {
        object.changedSlots.contains($0.index) || !mine.equals(defaults, at: $0)
      }
      let there = attribute.slots.contains { slot in
        survivor.binding === object.binding && !theirs.equals(defaults, at: slot)
      }
      guard stands(isSet, against: there) else { continue }
      // Both entities are in one hierarchy, in which a name always has the same type.
      try? survivor.values.setAttributeValue(attribute.value(in: mine), of: own)
    }
  }

  private func mergeRelationships(of object: ManagedObject, into survivor: ManagedObject) {
    for relationship in object.binding.relationships {
      guard let own = survivor.binding.relationship(named: relationship.name) else { continue }
      guard relationship.isToMany else {
        let destination = object.related.destination(relationship.ordinal)
        let there = survivor.related.destination(own.ordinal) != nil
        if destination !== survivor, stands(destination != nil, against: there) {
          object.editor.setDestination(relationship, nil)
          survivor.editor.setDestination(own, destination)
        }
        continue
      }
      for member in object.related.destinations(relationship) where member !== survivor {
        object.editor.removeDestination(relationship, member)
        survivor.editor.addDestination(own, member)
      }
    }
  }
}
