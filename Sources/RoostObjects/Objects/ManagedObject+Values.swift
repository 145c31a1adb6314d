// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel

// Attribute values as exchange values: for validation, comparison and keyed access.
extension ManagedObject {
  /// The value of an attribute now; a composite's elements by name.
  final func attributeValue(of attribute: AttributeDescription) -> Value {
    if memory == nil, let slot = attribute.slot, let partial = partialRow(having: slot) {
      return attribute.value(in: partial)
    }
    guard memory != nil || fire() != nil, let row else { return .null }
    return attribute.value(in: row)
  }

  /// Like ``attributeValue(of:)``, for those who can be told what went wrong.
  final func readValue(of attribute: AttributeDescription) throws(PersistenceError) -> Value {
    if memory == nil, attribute.slot.flatMap({ partialRow(having: $0) }) == nil {
      _ = try readMemory()
    }
    return attributeValue(of: attribute)
  }

  /// Sets an attribute, with change tracking.
  ///
  /// - Throws: `invalidValue` when the value is of another type, or what reading a fault throws; nothing is changed
  ///   then.
  final func setAttributeValue(
    _ value: Value, of attribute: AttributeDescription
  ) throws(PersistenceError) {
    try requireRead(nil)
    _ = try readMemory()
    if let slot = attribute.slot {
      let value = try attribute.slotValue(of: value)
      guard willWrite(slot) != nil, let row else { return }
      try row.setValue(value, at: slot)
    } else {
      for part in try attribute.parts(of: value) {
        guard willWrite(part.slot) != nil, let row else { return }
        try row.setValue(part.value, at: part.slot)
      }
    }
    if isObserved { tellDidChange(attribute.name) }
  }

  /// Whether an attribute can have changed in a way that validation must look at. What was set past the tracking of
  /// changes, as a primitive value, is written with the next change.
  final func needsValidation(_ attribute: AttributeDescription) -> Bool {
    if flags.contains(.inserted) { return true }
    return attribute.slots.contains { slot in
      if changedSlots.contains(slot.index) { return true }
      guard let row, let snapshot, !row.isIdentical(to: snapshot) else { return false }
      return !row.equals(snapshot, at: slot)
    }
  }
}

// MARK: - Changes

extension ManagedObject {
  /// The slots of persistent attributes whose value differs from the record's.
  final func changedStoredSlots() -> [RowSlot] {
    guard let row, let snapshot, !row.isIdentical(to: snapshot) else { return [] }
    return binding.storedSlots.filter {
      $0.kind != .reference && changedSlots.contains($0.index) && !row.equals(snapshot, at: $0)
    }
  }

  /// The relationships that have other destinations than in the store.
  final func changedRelationships() -> [RelationshipDescription] {
    guard !links.isEmpty, !changedLinks.isEmpty else { return [] }
    return binding.relationships.filter { relationship in
      guard changedLinks.contains(relationship.ordinal), !relationship.isTransient else {
        return false
      }
      switch links[relationship.ordinal] {
      case .unloaded: return false
      case .toMany(let links): return links.hasChanges
      case .toOne(let object):
        return object?.identity.current != committedDestination(relationship)
      }
    }
  }

  /// The destination of a to-one relationship as the record has it.
  final func committedDestination(_ relationship: RelationshipDescription) -> ObjectID? {
    guard case .toOne(let slot) = relationship.storage, let key = snapshot?.reference(slot) else {
      return nil
    }
    return context?.destinationID(forKey: key, from: self)
  }

  /// Returns the persistent properties that differ from the record, with their new values. Of a new object
  /// these are the properties that were set, also as primitive values.
  ///
  /// - Returns: Attributes as ``value(forKey:)`` has them, relationships as objects or collections of objects; nil
  ///   values as `NSNull`.
  /// - Complexity: No query.
  public final func changedValues() -> [String: Any] {
    var result: [String: Any] = [:]
    if flags.contains(.inserted) {
      for slot in binding.storedSlots where slot.kind != .reference && differsFromNew(at: slot) {
        guard let attribute = binding.attribute(ofSlot: slot.index) else { continue }
        result[attribute.name] = attributeValue(of: attribute).anyValue ?? NSNull()
      }
    } else {
      for slot in changedStoredSlots() {
        guard let attribute = binding.attribute(ofSlot: slot.index) else { continue }
        result[attribute.name] = attributeValue(of: attribute).anyValue ?? NSNull()
      }
    }
    for relationship in changedRelationships() {
      result[relationship.name] = currentValue(of: relationship) ?? NSNull()
    }
    if flags.contains(.inserted) {
      for relationship in binding.relationships
      where !relationship.isTransient && leadsSomewhere(relationship) {
        result[relationship.name] = currentValue(of: relationship) ?? NSNull()
      }
    }
    return result
  }

  /// Whether an attribute of a new object was set, or has another value than its default: a primitive setter leaves no
  /// other trace (B347).
  private func differsFromNew(at slot: RowSlot) -> Bool {
    if changedSlots.contains(slot.index) { return true }
    guard let row else { return false }
    return !row.equals(binding.defaults, at: slot)
  }

  private func leadsSomewhere(_ relationship: RelationshipDescription) -> Bool {
    guard !links.isEmpty else { return false }
    switch links[relationship.ordinal] {
    case .unloaded: return false
    case .toOne(let object): return object != nil
    case .toMany(let links): return links.hasChanges
    }
  }

  /// Returns the values as they were last fetched or saved, nil as `NSNull`; empty for an object without a record.
  ///
  /// - Parameter keys: The names of persistent properties; nil for all.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, or what the store throws.
  /// - Complexity: At most one query for a fault, and one for each to-many relationship that is not loaded.
  @_disfavoredOverload
  public final func committedValues(forKeys keys: [String]?) throws -> [String: Any] {
    if isFault { _ = try readMemory() }
    var result: [String: Any] = [:]
    for key in keys ?? binding.persistentNames {
      guard let property = binding.property(named: key) else { throw unknownKey(key) }
      guard let snapshot, !property.isTransient else { continue }
      if let attribute = property as? AttributeDescription {
        let value = attribute.value(in: snapshot)
        result[key] = value.anyValue ?? NSNull()
      } else if let relationship = property as? RelationshipDescription {
        result[key] = try committedValue(of: relationship) ?? NSNull()
      }
    }
    return result
  }

  final func currentValue(of relationship: RelationshipDescription) -> Any? {
    guard relationship.isToMany else { return destination(relationship.ordinal) }
    let members = destinations(relationship)
    return relationship.isOrdered ? Array(members) : Set(members)
  }

  final func committedValue(
    of relationship: RelationshipDescription
  ) throws(PersistenceError) -> Any? {
    guard relationship.isToMany else {
      return committedDestination(relationship).flatMap { context?.object(with: $0) }
    }
    let members = try readLinks(relationship).committed
    return relationship.isOrdered ? Array(members) : Set(members)
  }
}
