// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension AttributeConversion {
  /// Returns the initial value of a transformable property, for one without a value or whose bytes cannot be decoded;
  /// without an initial value, the empty value of its type.
  func transformableInitialValue<T: Codable & Sendable>(_ property: Int) -> T {
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

  func declaration(of property: Int) -> PropertyDeclaration? {
    type(of: owner)._entityDeclaration?.property(numbered: property)
  }

  /// Returns the codec of a transformable property: the registered one that the class names, or else the type's own.
  private func codec<T: Codable & Sendable>(
    of property: Int, _ type: T.Type
  ) -> TransformableCodec {
    guard case .attribute(let attribute)? = declaration(of: property)?.content else {
      return .of(type)
    }
    return attribute.transformerName.map { .named($0, orOf: .of(type)) } ?? .of(type)
  }

  /// Writes the object of a transformable attribute.
  func keep<T: Codable & Sendable>(_ value: T?, of property: Int) {
    let codec = codec(of: property, T.self)
    owner._set(property, StoredTransformable(value.map { TransformableValue($0, codec: codec) }))
  }

  /// Returns the object of a transformable attribute; nil when there is none, or when its bytes cannot be decoded,
  /// which the next save throws.
  func decoded<T: Codable & Sendable>(_ property: Int) -> T? {
    let stored: StoredTransformable = owner._get(property)
    guard let value = stored.value else { return nil }
    do {
      return try value.object(decodedBy: codec(of: property, T.self)) as? T
    } catch {
      owner.context?.readErrors.refuse(error)
      return nil
    }
  }
}

extension PropertyDeclaration? {
  /// The message for an unreadable property; a class that was checked with its model has no such property.
  func unreadable(_ type: Any.Type) -> String {
    "The property \(self?.name ?? "") has no value that is a \(type); give it an initial value, or "
      + "make its type optional."
  }
}

extension RawRepresentable {
  fileprivate static func value(ofRaw raw: Any) -> Self? {
    (raw as? RawValue).flatMap { Self(rawValue: $0) }
  }
}

/// The type of a transformable attribute's slot, so that it is read and written like any other.
struct StoredTransformable: AttributeValue {
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
