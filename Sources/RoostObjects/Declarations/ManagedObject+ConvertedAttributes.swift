// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// What the accessors that `@Entity` writes call for attributes that a row holds in another form: types with a raw
// value, and types that a codec makes into bytes.
extension ManagedObject {
  /// Reads an attribute by its raw value.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public final func _get<T: RawRepresentable>(_ property: Int) -> T
  where T.RawValue: AttributeValue {
    let raw: T.RawValue = _get(property)
    return T(rawValue: raw) ?? _initialValue(property)
  }

  /// Reads an optional attribute by its raw value; a raw value that stands for nothing reads as nil.
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

/// What ``ManagedObject`` offers to attributes that a codec makes into bytes: members of a protocol's extension,
/// so that an enum with raw values that is also `Codable` is read and written by its raw value.
public protocol TransformableAccess: RefusedAccess {}

/// What ``ManagedObject`` offers to optional attributes that a codec makes into bytes: members of a more special
/// protocol's extension, since the optional of a `Codable` type is itself `Codable`.
public protocol OptionalTransformableAccess: TransformableAccess {}

extension ManagedObject: OptionalTransformableAccess {}

extension OptionalTransformableAccess {
  /// Reads an optional transformable attribute.
  @_disfavoredOverload
  public func _get<T: Codable & Sendable>(_ property: Int) -> T? {
    conversion.decoded(property)
  }

  /// Reads an optional attribute that a codec makes into bytes although a row could hold its type.
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

  /// Reads an attribute that a codec makes into bytes although a row could hold its type.
  @_disfavoredOverload
  public func _getTransformed<T: Codable & Sendable>(_ property: Int) -> T {
    conversion.decoded(property) ?? conversion.transformableInitialValue(property)
  }

  /// Writes an attribute that a codec makes into bytes although a row could hold its type.
  @_disfavoredOverload
  public func _setTransformed<T: Codable & Sendable>(_ property: Int, _ value: T) {
    conversion.keep(.some(value), of: property)
  }

  /// Writes an optional attribute that a codec makes into bytes although a row could hold its type.
  @_disfavoredOverload
  public func _setTransformed<T: Codable & Sendable>(_ property: Int, _ value: T?) {
    conversion.keep(value, of: property)
  }
}

// MARK: - What is refused

/// What ``ManagedObject`` has for types that no attribute can have: members that are chosen last. The declaration of
/// the property is an error already, and one is enough.
///
/// ```swift
/// var handler: () -> Void { get { self._get(3) } set { self._set(3, newValue) } }
/// ```
public protocol RefusedAccess: ManagedObject {}

extension RefusedAccess {
  /// Stands for an attribute that the class cannot declare.
  @_disfavoredOverload
  public func _get<T>(_ property: Int) -> T {
    preconditionFailure("The declaration of the property is an error already.")
  }

  /// Stands for an attribute that the class cannot declare.
  @_disfavoredOverload
  public func _set<T>(_ property: Int, _ value: T) {}
}

// MARK: - What cannot be converted

extension ManagedObject {
  /// The initial value of a property, for a raw value in the row that its type does not have: one that another version
  /// of the program wrote, or none at all. Without an initial value, the first case, or what is nothing in its type.
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
