// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostObjects

// Functions for the accessors and methods that `@Managed` generates.
extension ManagedObject {
  /// Reads a property.
  public func _managedValue<T>(_ key: String) -> T {
    if bridge.isRecorder { return bridge.recordKey(key, as: T.self) }
    let value = anyManagedValue(key)
    // A relationship without a destination is not a programming mistake, even if its type is not optional.
    if value == nil, let missing: T = bridge.missingDestination(key) { return missing }
    return ManagedValue.converted(value, of: key)
  }

  /// Reads a property by its raw value. An unknown raw value, which another version of the program may have written,
  /// reads as the property's default or the type's first case.
  public func _managedValue<T: RawRepresentable>(_ key: String) -> T {
    if bridge.isRecorder { return bridge.recordKey(key, as: T.self) }
    if let value = T(rawValue: ManagedValue.converted(anyManagedValue(key), of: key)) {
      return value
    }
    let standard = entity.attributesByName[primitiveKey(key) ?? key]?.defaultValue
    return ManagedValue.substitute(for: standard, of: key)
  }

  /// Reads an optional property by its raw value; an unknown raw value reads as nil.
  public func _managedValue<T: RawRepresentable>(_ key: String) -> T? {
    if bridge.isRecorder { return bridge.recordKey(key, as: T?.self) }
    let raw: T.RawValue? = ManagedValue.converted(anyManagedValue(key), of: key)
    return raw.flatMap { T(rawValue: $0) }
  }

  /// Sets a property.
  public func _setManagedValue<T>(_ value: T?, _ key: String) {
    if let primitive = primitiveKey(key) {
      setPrimitiveValue(value, forKey: primitive)
    } else {
      setValue(value, forKey: key)
    }
  }

  /// Sets a property by its raw value.
  public func _setManagedValue<T: RawRepresentable>(_ value: T?, _ key: String) {
    _setManagedValue(value?.rawValue, key)
  }

  private func anyManagedValue(_ key: String) -> Any? {
    primitiveKey(key).map { primitiveValue(forKey: $0) } ?? value(forKey: key)
  }

  /// Returns `name` for `primitiveName`, unless the entity has a property with the latter name.
  private func primitiveKey(_ key: String) -> String? {
    guard key.hasPrefix("primitive"), entity.propertiesByName[key] == nil else { return nil }
    return propertyName(String(key.dropFirst("primitive".count)))
  }

  /// Returns the property whose capitalised name is part of a method's name.
  private func propertyName(_ part: String) -> String {
    if entity.propertiesByName[part] != nil { return part }
    return part.prefix(1).lowercased() + part.dropFirst()
  }
}

// MARK: - To-many relationships

extension ManagedObject {
  /// Adds an object, or the objects of a collection.
  public func _addManaged(_ part: String, _ value: Any) {
    let key = propertyName(part)
    if isOrdered(key) {
      mutableList(key).append(contentsOf: ManagedValue.objects(value))
    } else {
      mutableSet(key).formUnion(ManagedValue.objects(value))
    }
  }

  /// Removes an object, or the objects of a collection.
  public func _removeManaged(_ part: String, _ value: Any) {
    mutableSet(propertyName(part)).subtract(ManagedValue.objects(value))
  }

  /// Inserts an object into an ordered relationship.
  public func _insertManaged(_ part: String, _ value: ManagedObject, at index: Int) {
    mutableList(propertyName(part)).insert(value, at: index)
  }

  /// Inserts objects into an ordered relationship, each at its final index.
  public func _insertManaged(_ part: String, _ values: [ManagedObject], at indexes: NSIndexSet) {
    mutableList(propertyName(part)).insert(values, at: IndexSet(indexes.map(\.self)))
  }

  /// Removes an object from an ordered relationship.
  public func _removeManaged(_ part: String, at index: Int) {
    mutableList(propertyName(part)).remove(at: index)
  }

  /// Removes objects from an ordered relationship.
  public func _removeManaged(_ part: String, at indexes: NSIndexSet) {
    mutableList(propertyName(part)).remove(at: IndexSet(indexes.map(\.self)))
  }

  /// Replaces an object of an ordered relationship.
  public func _replaceManaged(_ part: String, at index: Int, with value: ManagedObject) {
    mutableList(propertyName(part)).replaceObject(at: index, with: value)
  }

  /// Replaces objects of an ordered relationship.
  public func _replaceManaged(
    _ part: String, at indexes: NSIndexSet, with values: [ManagedObject]
  ) {
    mutableList(propertyName(part)).replaceObjects(at: IndexSet(indexes.map(\.self)), with: values)
  }

  private func isOrdered(_ key: String) -> Bool {
    entity.relationshipsByName[key]?.isOrdered ?? false
  }

  private func mutableSet(_ key: String) -> MutableObjectSet<ManagedObject> {
    orEnd { try bridge.keyedSet(forKey: key) }
  }

  private func mutableList(_ key: String) -> MutableObjectList<ManagedObject> {
    orEnd { try bridge.keyedList(forKey: key) }
  }
}

/// Converts keyed values to the types that programs declare.
enum ManagedValue {
  /// Converts a keyed value to `T`; a missing one to zero, nil or an empty value.
  static func converted<T>(_ value: Any?, of key: String) -> T {
    if let value {
      if let known = value as? T { return known }
      if let ordered = value as? NSOrderedSet, let array = ordered.array as? T { return array }
      if let number = value as? NSNumber, let scalar = scalar(number, as: T.self) { return scalar }
    } else if let nothing = (T.self as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ())
      as? T
    {
      return nothing
    } else if let zero = scalar(0, as: T.self) ?? empty(T.self) ?? MissingValue.of(T.self) {
      return zero
    }
    preconditionFailure("\(key) has \(value ?? "no value"), which is no \(T.self).")
  }

  /// Returns the substitute for an unknown raw value: the default if it is valid, otherwise the first case, zero or
  /// an empty string.
  static func substitute<T: RawRepresentable>(for standard: Any?, of key: String) -> T {
    if let standard, let value = T(rawValue: converted(standard, of: key)) { return value }
    guard let result = MissingValue.of(T.self) ?? T(rawValue: converted(nil, of: key)) else {
      preconditionFailure("\(key) has no value that is a \(T.self).")
    }
    return result
  }

  /// Returns an empty string, data or collection: the value of a missing non-optional property.
  private static func empty<T>(_ type: T.Type) -> T? {
    if let type = T.self as? any RangeReplaceableCollection.Type { return type.init() as? T }
    if let type = T.self as? any EmptyLiteral.Type { return type.init() as? T }
    return nil
  }

  /// Returns a value as a managed object, for a relationship.
  static func object(_ value: Any) -> ManagedObject {
    guard let object = value as? ManagedObject else {
      preconditionFailure("\(type(of: value)) is no managed object.")
    }
    return object
  }

  /// Returns the objects of a collection, or a single object.
  static func objects(_ value: Any) -> [ManagedObject] {
    switch value {
    case let object as ManagedObject: return [object]
    case let set as NSOrderedSet: return set.array.map(object)
    case let array as [ManagedObject]: return array
    case let set as Set<ManagedObject>: return Array(set)
    default: preconditionFailure("\(type(of: value)) is no collection of managed objects.")
    }
  }

  private static func scalar<T>(_ number: NSNumber, as type: T.Type) -> T? {
    let value: Any? =
      switch type {
      case is Float.Type, is Float?.Type: number.floatValue
      case is Double.Type: number.doubleValue
      case is Bool.Type, is Bool?.Type: number.boolValue
      case is Int.Type: number.intValue
      case is Int16.Type: number.int16Value
      case is Int32.Type: number.int32Value
      case is Int64.Type: number.int64Value
      case is Decimal.Type: number.decimalValue
      default: nil
      }
    return value as? T
  }
}

/// A collection that can be empty, but is not a `RangeReplaceableCollection`.
private protocol EmptyLiteral {
  init()
}

extension Set: EmptyLiteral {}
extension Dictionary: EmptyLiteral {}
