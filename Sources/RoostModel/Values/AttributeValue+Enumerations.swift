// SPDX-License-Identifier: Apache-2.0

/// An enumeration with raw values as the type of an attribute: stored as its raw value.
///
/// A stored raw value without a case, as an older program may find it, reads as nil where the property is optional,
/// otherwise as the first case.
///
/// ```swift
/// enum Priority: Int16, AttributeEnumeration { case low, normal, high }
/// ```
public protocol AttributeEnumeration: AttributeValue, RawRepresentable, CaseIterable
where RawValue: AttributeValue {}

extension AttributeEnumeration {
  /// The type of the raw value.
  @inlinable public static var attributeType: AttributeType { RawValue.attributeType }

  /// Whether the raw value is in a cell.
  @inlinable @inline(__always) public static var _isInCell: Bool { RawValue._isInCell }

  /// Reads the raw value; the first case when no case has it.
  @inlinable public static func _load(
    _ base: UnsafeMutableRawPointer, _ slot: RowSlot
  ) -> Self {
    if let known = Self(rawValue: RawValue._load(base, slot)) { return known }
    guard let first = allCases.first else {
      preconditionFailure("An enumeration without cases cannot be the type of an attribute.")
    }
    return first
  }

  /// Writes the raw value.
  @inlinable public static func _store(
    _ value: Self, _ base: UnsafeMutableRawPointer, _ slot: RowSlot
  ) {
    RawValue._store(value.rawValue, base, slot)
  }

  /// Reads a raw value that is not nil; nil when no case has it.
  @inlinable public static func _loadPresent(
    _ base: UnsafeMutableRawPointer, _ slot: RowSlot
  ) -> Self? {
    Self(rawValue: RawValue._load(base, slot))
  }

  /// Makes a case from the raw value; nil when it has another type or no case has it.
  public init?(_ value: Value) {
    guard let rawValue = RawValue(value) else { return nil }
    self.init(rawValue: rawValue)
  }

  /// The raw value.
  public var attributeValue: Value { rawValue.attributeValue }
}
