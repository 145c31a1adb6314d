// SPDX-License-Identifier: Apache-2.0

import RoostModel

// A composite is preferred to a type that a codec encodes, so that a struct may be `Codable`, too.
extension PropertyType {
  /// A composite attribute.
  public static func of<T: CompositeValue>(_ type: T.Type) -> PropertyType {
    PropertyType(AttributeDeclaration(composite: T.self, isOptional: false))
  }

  /// An optional composite attribute.
  public static func of<T: CompositeValue>(_ type: T?.Type) -> PropertyType {
    PropertyType(AttributeDeclaration(composite: T.self, isOptional: true))
  }

  /// A composite attribute with an initial value.
  public static func of<T: CompositeValue>(
    _ type: T.Type, default value: @autoclosure @escaping @Sendable () -> T
  ) -> PropertyType {
    var attribute = AttributeDeclaration(composite: T.self, isOptional: false)
    attribute.makeDefault = { .elements(value()._elementValues) }
    attribute.makeObject = { value() }
    return PropertyType(attribute)
  }

  /// An optional composite attribute with an initial value.
  public static func of<T: CompositeValue>(
    _ type: T?.Type, default value: @autoclosure @escaping @Sendable () -> T?
  ) -> PropertyType {
    var attribute = AttributeDeclaration(composite: T.self, isOptional: true)
    attribute.makeDefault = { .elements(value()?._elementValues ?? []) }
    attribute.makeObject = { value() }
    return PropertyType(attribute)
  }
}

extension AttributeDeclaration {
  /// Declares a composite attribute.
  init<T: CompositeValue>(composite type: T.Type, isOptional: Bool) {
    self.type = .composite
    valueType = T.self
    self.isOptional = isOptional
    composite = T._composite
    canBeMissing = {
      T._composite.leaves.allSatisfy { leaf in leaf.declaration.hasMissingValue }
    }
  }

  /// Whether the property may be nil when it is saved.
  var mayBeNil: Bool { isOptional || options.contains(.optional) }
}
