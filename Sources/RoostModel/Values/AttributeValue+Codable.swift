// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The type of an attribute that is stored as bytes, encoded by its `Codable` conformance.
///
/// A type of the program only has to declare the conformance:
///
/// ```swift
/// struct Colour: CodableAttribute, Hashable { var red, green, blue: Double }
/// ```
///
/// Bytes that cannot be decoded read as nil where the property is optional, otherwise as ``fallback``; keyed access
/// and ``AttributeDescription/makeAny(from:)`` throw `transformation` instead.
public protocol CodableAttribute: AttributeValue, Codable {
  /// The value of a property before one is set.
  static var fallback: Self { get }
}

extension CodableAttribute {
  /// The type of all attributes whose values are encoded as bytes.
  public static var attributeType: AttributeType { .transformable }

  /// The codec of the type.
  public static var codec: TransformableCodec { .of(Self.self) }

  /// Reads the value, which is decoded on first access.
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Self {
    _loadPresent(base, slot) ?? fallback
  }

  /// Writes the value, which is encoded on save.
  public static func _store(_ value: Self, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.store(Optional(TransformableValue(value, codec: codec)), base, slot)
  }

  /// Reads a value that is not nil; nil when it cannot be decoded.
  public static func _loadPresent(
    _ base: UnsafeMutableRawPointer, _ slot: RowSlot
  ) -> Self? {
    let stored: TransformableValue? = RowMemory.load(base, slot)
    return try? stored?.object(decodedBy: codec) as? Self
  }

  /// Makes a value from an exchange value; nil when it has another type or cannot be decoded.
  public init?(_ value: Value) {
    guard case .transformable(let stored) = value,
      let object = try? stored.object(decodedBy: Self.codec) as? Self
    else { return nil }
    self = object
  }

  /// The exchange value.
  public var attributeValue: Value { .transformable(TransformableValue(self, codec: Self.codec)) }
}

extension Array: AttributeValue, CodableAttribute where Element: AttributeValue & Codable {
  /// No elements.
  public static var fallback: [Element] { [] }
}

extension Set: AttributeValue, CodableAttribute where Element: AttributeValue & Codable {
  /// No elements.
  public static var fallback: Set<Element> { [] }
}

extension Dictionary: AttributeValue, CodableAttribute
where Key: AttributeValue & Codable, Value: AttributeValue & Codable {
  /// No elements.
  public static var fallback: [Key: Value] { [:] }
}
