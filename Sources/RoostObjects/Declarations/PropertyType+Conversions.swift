// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Overload resolution selects among these by the type. An `AttributeValue` comes first, since the others are
// disfavoured. An enum with raw values may also be `Codable`; then the raw value wins, because members of a type are
// preferred to members of an extension of its protocol.

extension PropertyType {
  /// An attribute of the type's raw values.
  @_disfavoredOverload
  public static func of<T: RawRepresentable & SendableMetatype>(_ type: T.Type) -> PropertyType
  where T.RawValue: AttributeValue {
    var attribute = AttributeDeclaration(T.RawValue.self)
    attribute.canBeMissing = { MissingValue.ofRaw(T.self) != nil }
    attribute.choiceType = T.self
    return PropertyType(attribute)
  }

  /// An optional attribute of the type's raw values.
  @_disfavoredOverload
  public static func of<T: RawRepresentable>(_ type: T?.Type) -> PropertyType
  where T.RawValue: AttributeValue {
    of(T.RawValue?.self).choosing(among: T?.self)
  }

  /// An attribute of the type's raw values with an initial value.
  @_disfavoredOverload
  public static func of<T: RawRepresentable & SendableMetatype>(
    _ type: T.Type, default value: @autoclosure @escaping @Sendable () -> T
  ) -> PropertyType where T.RawValue: AttributeValue {
    of(T.RawValue.self, default: value().rawValue).choosing(among: T.self)
  }

  /// An optional attribute of the type's raw values with an initial value.
  @_disfavoredOverload
  public static func of<T: RawRepresentable & SendableMetatype>(
    _ type: T?.Type, default value: @autoclosure @escaping @Sendable () -> T?
  ) -> PropertyType where T.RawValue: AttributeValue {
    of(T.RawValue?.self, default: value()?.rawValue).choosing(among: T?.self)
  }

  /// Returns the type with the one that has the raw values.
  private func choosing(among type: Any.Type) -> PropertyType {
    guard case .attribute(var attribute) = content else { return self }
    attribute.choiceType = type
    return PropertyType(attribute)
  }
}

/// Members of ``PropertyType`` for types that only a codec can encode.
public protocol TransformablePropertyType: UnknownPropertyType {}

extension PropertyType: TransformablePropertyType {}

extension TransformablePropertyType where Self == PropertyType {
  /// A transformable attribute of the type.
  @_disfavoredOverload
  public static func of<T: Codable & Sendable>(_ type: T.Type) -> PropertyType {
    PropertyType(AttributeDeclaration(transformable: T.self, isOptional: false))
  }

  /// An optional transformable attribute of the type.
  @_disfavoredOverload
  public static func of<T: Codable & Sendable>(_ type: T?.Type) -> PropertyType {
    PropertyType(AttributeDeclaration(transformable: T.self, isOptional: true))
  }

  /// A transformable attribute of the type with an initial value.
  @_disfavoredOverload
  public static func of<T: Codable & Sendable>(
    _ type: T.Type, default value: @autoclosure @escaping @Sendable () -> T
  ) -> PropertyType {
    var attribute = AttributeDeclaration(transformable: T.self, isOptional: false)
    attribute.makeDefault = { [codec = TransformableCodec.of(T.self)] in
      .transformable(TransformableValue(value(), codec: codec))
    }
    attribute.makeObject = { value() }
    return PropertyType(attribute)
  }

  /// An optional transformable attribute of the type with an initial value.
  @_disfavoredOverload
  public static func of<T: Codable & Sendable>(
    _ type: T?.Type, default value: @autoclosure @escaping @Sendable () -> T?
  ) -> PropertyType {
    var attribute = AttributeDeclaration(transformable: T.self, isOptional: true)
    attribute.makeDefault = { [codec = TransformableCodec.of(T.self)] in
      value().map { .transformable(TransformableValue($0, codec: codec)) } ?? .null
    }
    attribute.makeObject = { value() }
    return PropertyType(attribute)
  }
}

// MARK: - Unsupported types

/// Fallback members of ``PropertyType`` for unsupported types and initial values, with the lowest rank in overload
/// resolution.
public protocol UnknownPropertyType {}

extension UnknownPropertyType where Self == PropertyType {
  /// Rejects a type.
  @_disfavoredOverload
  @available(*, unavailable, message: "this type cannot be stored; make it Codable or @Unmodeled")
  public static func of<T>(_ type: T.Type) -> PropertyType { of(Int.self) }

  /// Rejects a type.
  @_disfavoredOverload
  @available(*, unavailable, message: "this type cannot be stored; make it Codable or @Unmodeled")
  public static func of<T>(_ type: T.Type, default value: @autoclosure () -> T) -> PropertyType {
    of(Int.self)
  }

  /// Rejects an initial value.
  @_disfavoredOverload
  @available(*, unavailable, message: "a new object has no destinations; set them afterwards")
  public static func of<Destination: ManagedObject>(
    _ type: Set<Destination>.Type, default value: @autoclosure () -> Set<Destination>
  ) -> PropertyType { of(Int.self) }

  /// Rejects an initial value.
  @_disfavoredOverload
  @available(*, unavailable, message: "a new object has no destinations; set them afterwards")
  public static func of<Destination: ManagedObject>(
    _ type: [Destination].Type, default value: @autoclosure () -> [Destination]
  ) -> PropertyType { of(Int.self) }
}
