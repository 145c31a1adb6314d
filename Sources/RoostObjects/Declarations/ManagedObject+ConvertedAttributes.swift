// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Accessors that `@Entity` generates call these for attributes that a row holds in another form: types with a raw
// value, and types that a codec encodes.
extension ManagedObject {
  /// Reads an attribute by its raw value.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public final func _get<T: RawRepresentable>(_ property: Int) -> T
  where T.RawValue: AttributeValue {
    let raw: T.RawValue = _get(property)
    return T(rawValue: raw) ?? _initialValue(property)
  }

  /// Reads an optional attribute by its raw value; an unknown raw value reads as nil.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public final func _get<T: RawRepresentable>(_ property: Int) -> T?
  where T.RawValue: AttributeValue {
    let raw: T.RawValue? = _get(property)
    return raw.flatMap { T(rawValue: $0) }
  }

  /// Writes an attribute by its raw value.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public final func _set<T: RawRepresentable>(_ property: Int, _ value: T)
  where T.RawValue: AttributeValue {
    _set(property, value.rawValue)
  }

  /// Writes an optional attribute by its raw value.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public final func _set<T: RawRepresentable>(_ property: Int, _ value: T?)
  where T.RawValue: AttributeValue {
    _set(property, value?.rawValue)
  }
}

/// Members of ``ManagedObject`` for attributes that a codec encodes. They are in an extension of a separate protocol,
/// so that overload resolution prefers the raw value for an enum that is also `Codable`.
public protocol TransformableAccess: RefusedAccess {}

/// Members of ``ManagedObject`` for optional attributes that a codec encodes. They are in an extension of a more
/// specific protocol, since the optional of a `Codable` type is itself `Codable`.
public protocol OptionalTransformableAccess: TransformableAccess {}

extension ManagedObject: OptionalTransformableAccess {}

extension OptionalTransformableAccess {
  /// Reads an optional transformable attribute.
  @_disfavoredOverload
  public func _get<T: Codable & Sendable>(_ property: Int) -> T? {
    conversion.decoded(property)
  }

  /// Reads an optional attribute that a codec encodes although a row could hold its type.
  @_disfavoredOverload
  public func _getTransformed<T: Codable & Sendable>(_ property: Int) -> T? {
    conversion.decoded(property)
  }
}

extension TransformableAccess {
  /// Reads a transformable attribute.
  @_disfavoredOverload
  public func _get<T: Codable & Sendable>(_ property: Int) -> T {
    conversion.decoded(property) ?? conversion.transformableInitialValue(property)
  }

  /// Writes a transformable attribute.
  @_disfavoredOverload
  public func _set<T: Codable & Sendable>(_ property: Int, _ value: T) {
    conversion.keep(.some(value), of: property)
  }

  /// Writes an optional transformable attribute.
  @_disfavoredOverload
  public func _set<T: Codable & Sendable>(_ property: Int, _ value: T?) {
    conversion.keep(value, of: property)
  }

  /// Reads an attribute that a codec encodes although a row could hold its type.
  @_disfavoredOverload
  public func _getTransformed<T: Codable & Sendable>(_ property: Int) -> T {
    conversion.decoded(property) ?? conversion.transformableInitialValue(property)
  }

  /// Writes an attribute that a codec encodes although a row could hold its type.
  @_disfavoredOverload
  public func _setTransformed<T: Codable & Sendable>(_ property: Int, _ value: T) {
    conversion.keep(.some(value), of: property)
  }

  /// Writes an optional attribute that a codec encodes although a row could hold its type.
  @_disfavoredOverload
  public func _setTransformed<T: Codable & Sendable>(_ property: Int, _ value: T?) {
    conversion.keep(value, of: property)
  }
}

// MARK: - Unsupported types

/// Fallback members of ``ManagedObject`` for unsupported types, with the lowest rank in overload resolution. The
/// declaration of the property is an error already, and one is enough.
///
/// ```swift
/// var handler: () -> Void { get { self._get(3) } set { self._set(3, newValue) } }
/// ```
public protocol RefusedAccess: ManagedObject {}

extension RefusedAccess {
  /// A placeholder for an attribute that the class cannot declare.
  @_disfavoredOverload
  public func _get<T>(_ property: Int) -> T {
    preconditionFailure("The declaration of the property is an error already.")
  }

  /// A placeholder for an attribute that the class cannot declare.
  @_disfavoredOverload
  public func _set<T>(_ property: Int, _ value: T) {}
}

// MARK: - Initial values

extension ManagedObject {
  /// Returns the initial value of a property whose type does not know the raw value in the row: one written by
  /// another version of the program, or none at all. Without an initial value, it is the first case, or the empty
  /// value of its type.
  @inline(never)
  public final func _initialValue<T: RawRepresentable>(_ property: Int) -> T
  where T.RawValue: AttributeValue {
    let declared = conversion.declaration(of: property)
    if let value = declared?.initialValue, let raw = T.RawValue(value),
      let result = T(rawValue: raw)
    {
      return result
    }
    guard let substitute = MissingValue.ofRaw(T.self) else {
      preconditionFailure(declared.unreadable(T.self))
    }
    return substitute
  }
}
