// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostObjects

// Keyed access without throwing, as in Core Data. An unknown key or a value of another type is a programming mistake
// and stops the program, as there.
extension ManagedObject {
  /// Returns the value of a property: a to-many relationship as a `Set`, which is also an `NSSet`, or, if ordered, as
  /// an `NSOrderedSet`.
  public func value(forKey key: String) -> Any? {
    foundationCollection(orEnd { try bridge.keyedValue(forKey: key) }, forKey: key)
  }

  /// Sets a property; a to-many relationship takes an `NSSet`, `NSOrderedSet`, `Set` or `Array` of objects.
  public func setValue(_ value: Any?, forKey key: String) {
    orEnd { try bridge.setKeyedValue(swiftCollection(value, forKey: key), forKey: key) }
  }

  /// Returns the value of a property without firing a fault or recording an access.
  public func primitiveValue(forKey key: String) -> Any? {
    foundationCollection(orEnd { try bridge.keyedPrimitiveValue(forKey: key) }, forKey: key)
  }

  /// Sets a property without change tracking.
  public func setPrimitiveValue(_ value: Any?, forKey key: String) {
    orEnd { try bridge.setKeyedPrimitiveValue(swiftCollection(value, forKey: key), forKey: key) }
  }

  /// Returns the last fetched or saved values, nil as `NSNull`.
  public func committedValues(forKeys keys: [String]?) -> [String: Any] {
    foundationCollections(orEnd { try bridge.keyedCommittedValues(forKeys: keys) })
  }

  /// Returns the value at the end of a key path.
  public func value(forKeyPath keyPath: String) -> Any? {
    foundationCollection(orEnd { try bridge.keyedValue(forKeyPath: keyPath) }, forKey: keyPath)
  }

  /// Sets the property at the end of a key path.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    orEnd { try bridge.setKeyedValue(swiftCollection(value, forKey: keyPath), forKeyPath: keyPath) }
  }

  /// Sets properties by name.
  public func setValuesForKeys(_ keyedValues: [String: Any]) {
    for (key, value) in keyedValues { setValue(value, forKey: key) }
  }

  /// Returns the values of properties by name, nil as `NSNull`.
  public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    foundationCollections(orEnd { try bridge.keyedValues(forKeys: keys) })
  }

  /// Returns a to-many relationship as a set that writes through.
  public func mutableSetValue(forKey key: String) -> NSMutableSet {
    RelationshipSet(orEnd { try bridge.keyedSet(forKey: key) })
  }

  /// Returns an ordered relationship as an ordered set that writes through.
  ///
  /// It reflects the relationship and is not a copy. Outside of Apple's systems, only iteration, `firstObject`,
  /// `lastObject` and `reversed` show the destinations as of its creation or the last other access, such as `count`.
  public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    RelationshipOrderedSet(orEnd { try bridge.keyedList(forKey: key) })
  }

  /// Returns the IDs of a relationship's destinations, without creating objects.
  public func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    orEnd { try bridge.destinationIDs(forRelationshipNamed: key) }
  }

  /// Converts the destinations of an ordered relationship to Foundation's collection.
  private func foundationCollection(_ value: Any?, forKey key: String) -> Any? {
    // Most keys are other properties: casting every value would take longer than reading it.
    guard bridge.isOrderedRelationship(key), let objects = value as? [ManagedObject] else {
      return value
    }
    return NSOrderedSet(array: objects)
  }

  private func foundationCollections(_ values: [String: Any]) -> [String: Any] {
    var result = values
    for (key, value) in values { result[key] = foundationCollection(value, forKey: key) }
    return result
  }

  /// Converts Foundation's collections of objects to Swift's. An element that is not an object stops the program:
  /// ignoring it would change the relationship.
  private func swiftCollection(_ value: Any?, forKey key: String) -> Any? {
    guard entity.relationshipsByName[key] != nil else { return value }
    return switch value {
    case let set as NSOrderedSet: set.array.map(ManagedValue.object)
    case let set as NSSet: Set(set.allObjects.map(ManagedValue.object))
    default: value
    }
  }
}

extension ManagedObject {
  /// Validates a new value of a property, and converts it as a save would.
  ///
  /// - Throws: `NSError` with a validation code.
  public func validateValue(_ value: inout AnyObject?, forKey key: String) throws {
    guard var checked = RoostModel.Value(any: value) else {
      throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError)
    }
    try asFoundation(in: managedObjectContext) { try validateValue(&checked, forKey: key) }
    value = checked.anyValue as AnyObject?
  }
}
