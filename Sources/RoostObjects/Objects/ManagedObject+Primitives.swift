// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Access without change tracking: the building blocks of custom accessors.
extension ManagedObject {
  /// Fires the fault, if the object is one. For a relationship it loads the destinations, too, so that
  /// ``primitiveValue(forKey:)`` returns them.
  ///
  /// - Parameter key: The property that will be read; nil to fire the fault only.
  /// - Complexity: At most one query for the object and one for a to-many relationship, for all objects that were
  ///   fetched with this one.
  public final func willAccessValue(forKey key: String?) {
    if isObserved, let key { observers.tellRead(key) }
    if isFault { _ = fire() }
    guard let key, let relationship = binding.relationship(named: key), context != nil,
      related.hasUnloaded(relationship)
    else { return }
    if relationship.isToMany {
      _ = related.loadedLinks(relationship)
    } else {
      _ = related.destination(relationship.ordinal)
    }
  }

  /// Ends the access begun by ``willAccessValue(forKey:)``.
  ///
  /// - Parameter key: The property that was read.
  public final func didAccessValue(forKey key: String?) {}

  /// Returns the value of a property in memory, without firing a fault.
  ///
  /// - Parameter key: The name of a property.
  /// - Returns: The value as ``value(forKey:)`` returns it; nil for a fault and for a to-many relationship that is
  ///   not loaded.
  /// - Throws: ``PersistenceError`` with code `unknownKey`.
  @_disfavoredOverload
  public final func primitiveValue(forKey key: String) throws -> Any? {
    if let entry = binding.keys.entry(for: key), entry.isPlain, entry.number >= 0 {
      return memory.flatMap { RowMemory.anyValue($0, entry.slot) }
    }
    if let relationship = binding.relationship(named: key) {
      return keyed.primitiveDestinations(relationship)
    }
    guard let attribute = binding.attribute(named: key) else { throw keyed.unknownKey(key) }
    guard memory != nil, let row else { return nil }
    return attribute.value(in: row).anyValue
  }

  /// Sets a property without change tracking and without maintaining the inverse: it does not mark the object as
  /// changed, and ``changedValues()`` does not list it. Values set on a new object are saved with it.
  ///
  /// - Parameters:
  ///   - value: As for ``setValue(_:forKey:)``.
  ///   - key: The name of a property.
  /// - Throws: ``PersistenceError`` with code `unknownKey` or `invalidValue`, or the error of the store when the
  ///   object has to be read; nothing is changed then.
  @_disfavoredOverload
  public final func setPrimitiveValue(_ value: Any?, forKey key: String) throws {
    if let relationship = binding.relationship(named: key) {
      let objects = try ManagedObject.objects(in: value, for: relationship, of: self)
      try keyed.check(objects, for: relationship)
      try values.requireRead(relationship.isToMany ? key : nil)
      if relationship.isToMany { _ = try related.readLinks(relationship) }
      keyed.setPrimitiveDestinations(relationship, objects)
      return
    }
    guard let attribute = binding.attribute(named: key) else { throw keyed.unknownKey(key) }
    guard let exchange = Value(any: value, type: attribute.type) else {
      throw PersistenceError(
        .invalidValue, "\(key) takes no value of type \(TypeName.of(value)).",
        entityName: entity.name, key: key, objectIDs: [identity])
    }
    let parts = try attribute.parts(of: exchange)
    try values.requireRead(nil)
    guard try readMemory() != nil else { return }
    makeRowOwn()
    guard let row else { return }
    for part in parts { try row.setValue(part.value, at: part.slot) }
  }
}
