// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The type of an attribute that is stored as bytes, made by a codec of its `Codable` conformance.
///
/// A type of the program's own only has to say that it conforms:
///
/// ```swift
/// struct Colour: CodableAttribute, Hashable { var red, green, blue: Double }
/// ```
///
/// Bytes that cannot be decoded read as nil where the property is optional, else as ``fallback``; keyed access and
/// ``AttributeDescription/makeAny(from:)`` throw `transformation` instead.
public protocol CodableAttribute: AttributeValue, Codable {
  /// What a property reads as before it has a value.
  static var fallback: Self { get }
}

extension CodableAttribute {
  /// The type of all attributes whose values are made into bytes.
  public static var attributeType: AttributeType { .transformable }

  /// How values of the type become bytes.
  public static var codec: TransformableCodec { .of(Self.self) }

  /// Reads the value, decoded when it is read for the first time.
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Self {
    _loadPresent(base, slot) ?? fallback
  }

  /// Writes the value, which is encoded when it is saved.
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

  /// Makes a value of an exchange value; nil when it is of another type or cannot be decoded.
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
