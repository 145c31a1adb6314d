// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel

// Access by name: for code that learns the model at run time.
extension ManagedObject {
  /// Returns the value of a property by name: a number in a form that `as? Int` accepts, a to-one relationship as its
  /// object, a to-many one as a `Set` or, ordered, an `Array` of objects.
  ///
  /// ```swift
  /// let age = try person.value(forKey: "age") as? Int
  /// ```
  /// - Parameter key: The name of an attribute or relationship, or a composite's element, such as `address.city`.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, or the error of the store when the value has to be read.
  /// - Complexity: No query except for a fault. The name is looked up by its bytes; most of the time is spent on
  ///   creating the number object and on the caller's cast.
  @_disfavoredOverload
  public final func value(forKey key: String) throws -> Any? {
    if let entry = binding.keys.entry(for: key), !isObserved {
      if entry.isPlain, let memory { return RowMemory.anyValue(memory, entry.slot) }
      if entry.isToOne { return try related.readDestination(Int(entry.number)) }
    }
    return try keyed.foundValue(forKey: key)
  }

  /// Sets a property by name: records the change in the context, and maintains the inverse.
  ///
  /// - Parameters:
  ///   - value: A value of the attribute's type, nil or `NSNull`; an object; or a `Set` or `Array` of objects.
  ///   - key: The name of an attribute or relationship.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, `invalidValue` for a value of another type, or
  ///   `differentContexts`, or the error of the store when the object has to be read. Nothing is changed then.
  @_disfavoredOverload
  public final func setValue(_ value: Any?, forKey key: String) throws {
    if let entry = binding.keys.entry(for: key), entry.isPlain, entry.number >= 0 {
      let attribute = binding.attributes[Int(entry.number)]
      return try values.setAttributeValue(
        attribute.keyedValue(value, key: key, of: self), of: attribute)
    }
    if let relationship = binding.relationship(named: key) {
      try keyed.setRelationship(relationship, to: value)
      return
    }
    guard let attribute = binding.attribute(named: key) ?? binding.element(named: key) else {
      guard binding.property(named: key) == nil else {
        throw PersistenceError(
          .invalidValue, "A fetched property cannot be set.", entityName: entity.name, key: key)
      }
      throw keyed.unknownKey(key)
    }
    try values.setAttributeValue(attribute.keyedValue(value, key: key, of: self), of: attribute)
  }

  /// Returns the value of an attribute by name, without boxing it.
  ///
  /// - Throws: ``PersistenceError`` with code `unknownKey`, or the error of the store.
  public final func exchangeValue(forKey key: String) throws -> Value {
    if memory != nil, !isObserved, let row, let entry = binding.keys.entry(for: key), entry.isPlain
    {
      return row.value(at: entry.slot)
    }
    if let attribute = binding.attribute(named: key) {
      if isObserved { observers.tellRead(key) }
      return try values.readValue(of: attribute)
    }
    guard let slot = binding.layout.slot(named: key), slot.kind != .position else {
      throw keyed.unknownKey(key)
    }
    if let partial = values.partialRow(having: slot) { return partial.value(at: slot) }
    guard try readMemory() != nil, let row else { return .null }
    return row.value(at: slot)
  }

  static func objects(
    in value: Any?, for relationship: RelationshipDescription, of owner: ManagedObject
  ) throws(PersistenceError) -> ContiguousArray<ManagedObject> {
    switch value {
    case nil, is NSNull: return []
    case let object as ManagedObject where !relationship.isToMany: return [object]
    case let objects as [ManagedObject] where relationship.isToMany:
      return ContiguousArray(objects)
    case let objects as Set<ManagedObject> where relationship.isToMany:
      return ContiguousArray(objects.sorted { $0.related.isBefore($1) })
    default:
      throw PersistenceError(
        .invalidValue, "\(relationship.name) takes no value of type \(TypeName.of(value)).",
        entityName: owner.entity.name, key: relationship.name, objectIDs: [owner.identity])
    }
  }
}

extension AttributeDescription {
  /// Converts a value of the program to a `Value` of the attribute; a transformable one is encoded by its codec.
  ///
  /// - Throws: `invalidValue` when the value is of another type, `transformation` when it cannot be encoded.
  fileprivate func keyedValue(
    _ value: Any?, key: String, of object: ManagedObject
  ) throws -> Value {
    if type == .transformable { return try makeValue(from: value) }
    guard let exchange = Value(any: value, type: type) else {
      throw PersistenceError(
        .invalidValue, "\(key) takes no value of type \(TypeName.of(value)).",
        entityName: object.entity.name, key: key, objectIDs: [object.objectID])
    }
    return exchange
  }
}
