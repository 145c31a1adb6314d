// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// MARK: - Changes

extension ManagedObject {
  /// Returns the persistent properties that differ from the record, with their new values. For a new object these are
  /// the properties that were set, including primitive values.
  ///
  /// - Returns: Attributes as ``value(forKey:)`` returns them, relationships as objects or collections of objects;
  ///   nil values as `NSNull`.
  /// - Complexity: No query.
  public final func changedValues() -> [String: Any] {
    var result: [String: Any] = [:]
    if flags.contains(.inserted) {
      for slot in binding.slotPlan.stored
      where slot.kind != .reference && values.differsFromNew(at: slot) {
        guard let attribute = binding.attribute(ofSlot: slot.index) else { continue }
        result[attribute.name] = values.attributeValue(of: attribute).anyValue ?? NSNull()
      }
    } else {
      for slot in values.changedStoredSlots() {
        guard let attribute = binding.attribute(ofSlot: slot.index) else { continue }
        result[attribute.name] = values.attributeValue(of: attribute).anyValue ?? NSNull()
      }
    }
    for relationship in values.changedRelationships() {
      result[relationship.name] = values.currentValue(of: relationship) ?? NSNull()
    }
    if flags.contains(.inserted) {
      for relationship in binding.relationships
      where !relationship.isTransient && values.leadsSomewhere(relationship) {
        result[relationship.name] = values.currentValue(of: relationship) ?? NSNull()
      }
    }
    return result
  }

  /// Returns the values last fetched or saved, nil as `NSNull`; empty for an object without a record.
  ///
  /// - Parameter keys: The names of persistent properties; nil for all.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, or the error of the store.
  /// - Complexity: At most one query for a fault, and one for each to-many relationship that is not loaded.
  @_disfavoredOverload
  public final func committedValues(forKeys keys: [String]?) throws -> [String: Any] {
    if isFault { _ = try readMemory() }
    var result: [String: Any] = [:]
    for key in keys ?? binding.persistentNames {
      guard let property = binding.property(named: key) else { throw keyed.unknownKey(key) }
      guard let snapshot, !property.isTransient else { continue }
      if let attribute = property as? AttributeDescription {
        let value = attribute.value(in: snapshot)
        result[key] = value.anyValue ?? NSNull()
      } else if let relationship = property as? RelationshipDescription {
        result[key] = try values.committedValue(of: relationship) ?? NSNull()
      }
    }
    return result
  }
}
