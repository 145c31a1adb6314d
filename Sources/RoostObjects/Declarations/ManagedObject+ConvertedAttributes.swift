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
public protocol TransformableAccess: ManagedObject {}

/// What ``ManagedObject`` offers to optional attributes that a codec makes into bytes: members of a more special
/// protocol's extension, since the optional of a `Codable` type is itself `Codable`.
public protocol OptionalTransformableAccess: TransformableAccess {}

extension ManagedObject: OptionalTransformableAccess {}

extension OptionalTransformableAccess {
  /// Reads an optional transformable attribute.
  @_disfavoredOverload
  public func _get<T: Codable & Sendable>(_ property: Int) -> T? {
    decoded(property)
  }

  /// Reads an optional attribute that a codec makes into bytes although a row could hold its type.
  @_disfavoredOverload
  public func _getTransformed<T: Codable & Sendable>(_ property: Int) -> T? {
    decoded(property)
  }
}

extension TransformableAccess {
  /// Reads a transformable attribute.
  @_disfavoredOverload
  public func _get<T: Codable & Sendable>(_ property: Int) -> T {
    decoded(property) ?? transformableInitialValue(property)
  }

  /// Writes a transformable attribute.
  @_disfavoredOverload
  public func _set<T: Codable & Sendable>(_ property: Int, _ value: T) {
    keep(.some(value), of: property)
  }

  /// Writes an optional transformable attribute.
  @_disfavoredOverload
  public func _set<T: Codable & Sendable>(_ property: Int, _ value: T?) {
    keep(value, of: property)
  }

  /// Reads an attribute that a codec makes into bytes although a row could hold its type.
  @_disfavoredOverload
  public func _getTransformed<T: Codable & Sendable>(_ property: Int) -> T {
    decoded(property) ?? transformableInitialValue(property)
  }

  /// Writes an attribute that a codec makes into bytes although a row could hold its type.
  @_disfavoredOverload
  public func _setTransformed<T: Codable & Sendable>(_ property: Int, _ value: T) {
    keep(.some(value), of: property)
  }

  /// Writes an optional attribute that a codec makes into bytes although a row could hold its type.
  @_disfavoredOverload
  public func _setTransformed<T: Codable & Sendable>(_ property: Int, _ value: T?) {
    keep(value, of: property)
  }
}

// MARK: - What cannot be converted

extension ManagedObject {
  /// The initial value of a property, for a raw value in the row that its type does not have: one that another version
  /// of the program wrote, or none at all. Without an initial value, the first case, or what is nothing in its type.
  @inline(never)
  public final func _initialValue<T: RawRepresentable>(_ property: Int) -> T
  where T.RawValue: AttributeValue {
    let declared = declaration(of: property)
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

  /// The initial value of a transformable property, for one that has no value or whose bytes cannot be decoded; without
  /// an initial value, what is nothing in its type.
  fileprivate func transformableInitialValue<T: Codable & Sendable>(_ property: Int) -> T {
    let declared = declaration(of: property)
    if case .transformable(let value)? = declared?.initialValue {
      if let result = value.object as? T { return result }
      if let type = T.self as? any RawRepresentable.Type, let raw = value.object,
        let result = type.value(ofRaw: raw) as? T
      {
        return result
      }
    }
    guard let substitute = MissingValue.of(T.self) else {
      preconditionFailure(declared.unreadable(T.self))
    }
    return substitute
  }

  private func declaration(of property: Int) -> PropertyDeclaration? {
    type(of: self)._entityDeclaration?.property(numbered: property)
  }

  /// The codec of a transformable property: the registered one that the class names, or the type's own where it names
  /// none.
  fileprivate func codec<T: Codable & Sendable>(
    of property: Int, _ type: T.Type
  ) -> TransformableCodec {
    guard case .attribute(let attribute)? = declaration(of: property)?.content else {
      return .of(type)
    }
    return attribute.transformerName.map { .named($0, orOf: .of(type)) } ?? .of(type)
  }

  /// Writes the object that a transformable attribute stands for.
  fileprivate func keep<T: Codable & Sendable>(_ value: T?, of property: Int) {
    let codec = codec(of: property, T.self)
    _set(property, StoredTransformable(value.map { TransformableValue($0, codec: codec) }))
  }

  /// The object that a transformable attribute stands for; nil when there is none, or when its bytes cannot be decoded,
  /// which the next save reports.
  fileprivate func decoded<T: Codable & Sendable>(_ property: Int) -> T? {
    let stored: StoredTransformable = _get(property)
    guard let value = stored.value else { return nil }
    do {
      return try value.object(decodedBy: codec(of: property, T.self)) as? T
    } catch {
      context?.refuse(error)
      return nil
    }
  }
}

extension PropertyDeclaration? {
  /// Why the property cannot be read: a class that was checked with its model has no such property.
  fileprivate func unreadable(_ type: Any.Type) -> String {
    "The property \(self?.name ?? "") has no value that is a \(type); give it an initial value, or "
      + "make its type optional."
  }
}

extension RawRepresentable {
  fileprivate static func value(ofRaw raw: Any) -> Self? {
    (raw as? RawValue).flatMap { Self(rawValue: $0) }
  }
}

/// The slot of a transformable attribute, so that it is read and written like any other.
private struct StoredTransformable: AttributeValue {
  let value: TransformableValue?

  static var attributeType: AttributeType { .transformable }
  static var isOptionalValue: Bool { true }

  init(_ value: TransformableValue?) {
    self.value = value
  }

  init?(_ value: Value) {
    switch value {
    case .null: self.value = nil
    case .transformable(let transformable): self.value = transformable
    default: return nil
    }
  }

  var attributeValue: Value { value.map { .transformable($0) } ?? .null }

  static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> StoredTransformable {
    StoredTransformable(RowMemory.load(base, slot) as TransformableValue?)
  }

  static func _store(
    _ value: StoredTransformable, _ base: UnsafeMutableRawPointer, _ slot: RowSlot
  ) {
    if let transformable = value.value {
      RowMemory.store(Optional(transformable), base, slot)
    } else {
      RowMemory.setNull(base, slot)
    }
  }
}
