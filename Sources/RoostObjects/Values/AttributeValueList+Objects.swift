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
      let number = attribute.number
      if let composite = attribute.declaration.composite {
        let slots = ElementAccess(owner: object, property: number).slots
        values[number] = .elements(composite.leaves.indices.map { row.value(at: slots[$0]) })
      } else {
        values[number] = row.value(at: object.slots[number])
      }
    }
  }

  /// Writes the values to an object, as its properties' setters would.
  func write(to object: ManagedObject) {
    for attribute in plan.attributes {
      let number = attribute.number
      if let composite = attribute.declaration.composite {
        let slots = ElementAccess(owner: object, property: number).slots
        let elements = values[number].elementValues(composite.leaves.count)
        for (index, value) in elements.enumerated() where object.willWrite(slots[index]) != nil {
          set(value, of: attribute, at: slots[index], in: object)
        }
      } else if object.prepareToWrite(number) != nil {
        set(values[number], of: attribute, at: object.slots[number], in: object)
      } else {
        continue
      }
      if object.open == nil { object.didWrite(number) }
    }
  }

  private func set(
    _ value: Value, of attribute: ValuePlan.Attribute, at slot: RowSlot, in object: ManagedObject
  ) {
    do {
      try object.row?.setValue(value, at: slot)
    } catch {
      preconditionFailure(
        "The class and the entity have different types for \(attribute.name): \(error)")
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
