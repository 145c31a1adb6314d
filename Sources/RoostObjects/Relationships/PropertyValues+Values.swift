// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension PropertyValues {
  /// Returns the current value of an attribute; a composite's elements by name.
  func attributeValue(of attribute: AttributeDescription) -> Value {
    if owner.memory == nil, let slot = attribute.slot,
      let partial = owner.values.partialRow(having: slot)
    {
      return attribute.value(in: partial)
    }
    guard owner.memory != nil || owner.fire() != nil, let row = owner.row else { return .null }
    return attribute.value(in: row)
  }

  /// Like ``attributeValue(of:)``, for throwing callers.
  func readValue(of attribute: AttributeDescription) throws(PersistenceError) -> Value {
    if owner.memory == nil, attribute.slot.flatMap({ owner.values.partialRow(having: $0) }) == nil {
      _ = try owner.readMemory()
    }
    return attributeValue(of: attribute)
  }

  /// Sets an attribute, with change tracking.
  ///
  /// - Throws: `invalidValue` when the value is of another type, or the error of reading a fault; nothing is changed
  ///   then.
  func setAttributeValue(
    _ value: Value, of attribute: AttributeDescription
  ) throws(PersistenceError) {
    try owner.values.requireRead(nil)
    _ = try owner.readMemory()
    if let slot = attribute.slot {
      let value = try attribute.slotValue(of: value)
      guard owner.willWrite(slot) != nil, let row = owner.row else { return }
      try row.setValue(value, at: slot)
    } else {
      for part in try attribute.parts(of: value) {
        guard owner.willWrite(part.slot) != nil, let row = owner.row else { return }
        try row.setValue(part.value, at: part.slot)
      }
    }
    if owner.isObserved { owner.observers.tellDidChange(attribute.name) }
  }

  /// Whether validation has to check an attribute that may have changed. Primitive values, set without change
  /// tracking, are written with the next change.
  func needsValidation(_ attribute: AttributeDescription) -> Bool {
    if owner.flags.contains(.inserted) { return true }
    return attribute.slots.contains { slot in
      if owner.changedSlots.contains(slot.index) { return true }
      guard let row = owner.row, let snapshot = owner.snapshot, !row.isIdentical(to: snapshot)
      else { return false }
      return !row.equals(snapshot, at: slot)
    }
  }

  /// Returns the destination of a to-one relationship in the record.
  func committedDestination(_ relationship: RelationshipDescription) -> ObjectID? {
    guard case .toOne(let slot) = relationship.storage, let key = owner.snapshot?.reference(slot)
    else {
      return nil
    }
    return owner.context?.loader.destinationID(forKey: key, from: owner)
  }

  /// Whether an attribute of a new object was set, or differs from its default: a primitive setter leaves no other
  /// trace (B347).
  func differsFromNew(at slot: RowSlot) -> Bool {
    if owner.changedSlots.contains(slot.index) { return true }
    guard let row = owner.row else { return false }
    return !row.equals(owner.binding.defaults, at: slot)
  }

  func leadsSomewhere(_ relationship: RelationshipDescription) -> Bool {
    guard !owner.links.isEmpty else { return false }
    switch owner.links[relationship.ordinal] {
    case .unloaded: return false
    case .toOne(let object): return object != nil
    case .toMany(let links): return links.hasChanges
    }
  }

  func currentValue(of relationship: RelationshipDescription) -> Any? {
    guard relationship.isToMany else { return owner.related.destination(relationship.ordinal) }
    let members = owner.related.destinations(relationship)
    return relationship.isOrdered ? Array(members) : Set(members)
  }

  func committedValue(
    of relationship: RelationshipDescription
  ) throws(PersistenceError) -> Any? {
    guard relationship.isToMany else {
      return committedDestination(relationship).flatMap { owner.context?.object(with: $0) }
    }
    let members = try owner.related.readLinks(relationship).committed
    return relationship.isOrdered ? Array(members) : Set(members)
  }
}
