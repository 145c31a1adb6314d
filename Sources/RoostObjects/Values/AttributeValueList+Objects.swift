// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension AttributeValueList {
  /// Reads the current values of an object.
  ///
  /// - Parameters:
  ///   - object: The object, of the class or of a subclass.
  ///   - objectClass: The class whose attributes are read.
  init(of object: ManagedObject, as objectClass: ManagedObject.Type) {
    plan = .plan(of: objectClass)
    values = Array(repeating: .null, count: plan.propertyCount)
    if object.isObserved {
      for attribute in plan.attributes { object.observers.tellRead(property: attribute.number) }
    }
    guard object.memory != nil || object.fire() != nil, let row = object.row else { return }
    for attribute in plan.attributes {
      values[attribute.number] = row.value(at: object.slots[attribute.number])
    }
  }

  /// Writes the values to an object, as its properties' setters would.
  func write(to object: ManagedObject) {
    for attribute in plan.attributes {
      let number = attribute.number
      guard object.prepareToWrite(number) != nil, let row = object.row else { continue }
      do {
        try row.setValue(values[number], at: object.slots[number])
      } catch {
        preconditionFailure(
          "The class and the entity have different types for \(attribute.name): \(error)")
      }
      if object.open == nil { object.didWrite(number) }
    }
  }
}

// Called by code that `@Entity` generates.
extension EntityValues {
  /// Reads an attribute declared by a superclass.
  public func _inherited<Base: EntityValues, T>(_ path: WritableKeyPath<Base, T>) -> T {
    Base(_list: _list)[keyPath: path]
  }

  /// Writes an attribute declared by a superclass.
  public mutating func _setInherited<Base: EntityValues, T>(
    _ path: WritableKeyPath<Base, T>, _ value: T
  ) {
    var base = Base(_list: _list)
    base[keyPath: path] = value
    _list = base._list
  }

  /// Writes the values to an object; called by the initializers that `@Entity` generates.
  public func _write(to object: ManagedObject) {
    _list.write(to: object)
  }
}
