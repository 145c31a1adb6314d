// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension AttributeValueList {
  /// The values that an object has now.
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

  /// Gives an object the values, as its properties' setters would.
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

// What `@Entity` writes calls these.
extension EntityValues {
  /// Reads an attribute that a superclass declares.
  public func _inherited<Base: EntityValues, T>(_ path: WritableKeyPath<Base, T>) -> T {
    Base(_list: _list)[keyPath: path]
  }

  /// Writes an attribute that a superclass declares.
  public mutating func _setInherited<Base: EntityValues, T>(
    _ path: WritableKeyPath<Base, T>, _ value: T
  ) {
    var base = Base(_list: _list)
    base[keyPath: path] = value
    _list = base._list
  }

  /// Gives an object the values; `@Entity` writes the initializers that call it.
  public func _write(to object: ManagedObject) {
    _list.write(to: object)
  }
}
