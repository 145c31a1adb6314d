// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A Swift type that an attribute can have in a managed object class.
///
/// The requirements whose names begin with an underscore read and write the slot of a row and are called by the
/// accessors that `@Entity` writes.
///
/// ```swift
/// precondition(Int32.attributeType == .integer32)
/// precondition(String?.isOptionalValue)
/// precondition(Int16(Value.integer(70_000)) == nil)
/// ```
public protocol AttributeValue: Sendable {
  /// The attribute type that stores values of this Swift type.
  static var attributeType: AttributeType { get }
  /// Whether the Swift type has room for nil.
  static var isOptionalValue: Bool { get }
  /// Makes a value from an exchange value; nil when it has another type or is out of range.
  init?(_ value: Value)
  /// The exchange value.
  var attributeValue: Value { get }

  /// Reads the slot; a nil property reads as zero, empty, or the type's own default.
  static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Self
  /// Reads a slot that is not nil; nil when the type cannot represent the stored value.
  static func _loadPresent(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Self?
  /// Writes the slot.
  static func _store(_ value: Self, _ base: UnsafeMutableRawPointer, _ slot: RowSlot)
  /// Whether values are plain numbers of at most eight bytes, which accessors find in the cell of the property.
  static var _isInCell: Bool { get }
}

extension AttributeValue {
  /// Types other than `Optional` have no room for nil.
  @inlinable public static var isOptionalValue: Bool { false }

  /// False by default: the slot is found by the layout.
  @inlinable @inline(__always) public static var _isInCell: Bool { false }

  /// Reads the slot, for types that can represent every stored value.
  @inlinable @inline(__always)
  public static func _loadPresent(
    _ base: UnsafeMutableRawPointer, _ slot: RowSlot
  ) -> Self? {
    _load(base, slot)
  }
}

extension FixedWidthInteger where Self: AttributeValue {
  @inlinable @inline(__always) public static var _isInCell: Bool { true }

  @inlinable @inline(__always)
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Self {
    let number: Int64 = RowMemory.load(base, slot)
    return Self(truncatingIfNeeded: number)
  }

  @inlinable @inline(__always)
  public static func _store(_ value: Self, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.store(Int64(value), base, slot)
  }

  /// Makes a number; nil when the value is not an integer or is out of range.
  public init?(_ value: Value) {
    guard case .integer(let number) = value, let exact = Self(exactly: number) else { return nil }
    self = exact
  }

  /// The exchange value.
  public var attributeValue: Value { .integer(Int64(self)) }
}

extension Int16: AttributeValue {
  public static var attributeType: AttributeType { .integer16 }
}
extension Int32: AttributeValue {
  public static var attributeType: AttributeType { .integer32 }
}
extension Int64: AttributeValue {
  public static var attributeType: AttributeType { .integer64 }
}
extension Int: AttributeValue {
  public static var attributeType: AttributeType { .integer64 }
}

extension Double: AttributeValue {
  public static var attributeType: AttributeType { .double }
  @inlinable @inline(__always) public static var _isInCell: Bool { true }
  @inlinable @inline(__always)
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Double {
    RowMemory.load(base, slot)
  }
  @inlinable @inline(__always)
  public static func _store(_ value: Double, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.store(value, base, slot)
  }
  public init?(_ value: Value) {
    guard case .double(let number) = value else { return nil }
    self = number
  }
  public var attributeValue: Value { .double(self) }
}

extension Float: AttributeValue {
  public static var attributeType: AttributeType { .float }
  @inlinable @inline(__always) public static var _isInCell: Bool { true }
  @inlinable @inline(__always)
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Float {
    let number: Double = RowMemory.load(base, slot)
    return Float(number)
  }
  @inlinable @inline(__always)
  public static func _store(_ value: Float, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.store(Double(value), base, slot)
  }
  public init?(_ value: Value) {
    guard case .double(let number) = value else { return nil }
    self = Float(number)
  }
  public var attributeValue: Value { .double(Double(self)) }
}

extension Bool: AttributeValue {
  public static var attributeType: AttributeType { .boolean }
  @inlinable @inline(__always) public static var _isInCell: Bool { true }
  @inlinable @inline(__always)
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Bool {
    let number: Int64 = RowMemory.load(base, slot)
    return number != 0
  }
  @inlinable @inline(__always)
  public static func _store(_ value: Bool, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.store(value ? 1 as Int64 : 0, base, slot)
  }
  public init?(_ value: Value) {
    guard case .boolean(let truth) = value else { return nil }
    self = truth
  }
  public var attributeValue: Value { .boolean(self) }
}

extension String: AttributeValue {
  public static var attributeType: AttributeType { .string }
  @inlinable @inline(__always)
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> String {
    RowMemory.text(base, slot)
  }
  @inlinable @inline(__always)
  public static func _store(_ value: String, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.storeText(value, base, slot)
  }
  public init?(_ value: Value) {
    guard case .string(let text) = value else { return nil }
    self = text
  }
  public var attributeValue: Value { .string(self) }
}

extension Date: AttributeValue {
  public static var attributeType: AttributeType { .date }
  @inlinable @inline(__always) public static var _isInCell: Bool { true }
  @inlinable @inline(__always)
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Date {
    Date(timeIntervalSinceReferenceDate: RowMemory.load(base, slot))
  }
  @inlinable @inline(__always)
  public static func _store(_ value: Date, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.store(value.timeIntervalSinceReferenceDate, base, slot)
  }
  public init?(_ value: Value) {
    guard case .date(let date) = value else { return nil }
    self = date
  }
  public var attributeValue: Value { .date(self) }
}

extension Data: AttributeValue {
  public static var attributeType: AttributeType { .binaryData }
  @inlinable @inline(__always)
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Data {
    RowMemory.load(base, slot)
  }
  @inlinable @inline(__always)
  public static func _store(_ value: Data, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.store(value, base, slot)
  }
  public init?(_ value: Value) {
    guard case .data(let data) = value else { return nil }
    self = data
  }
  public var attributeValue: Value { .data(self) }
}

extension UUID: AttributeValue {
  public static var attributeType: AttributeType { .uuid }
  @inlinable @inline(__always)
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> UUID {
    RowMemory.load(base, slot)
  }
  @inlinable @inline(__always)
  public static func _store(_ value: UUID, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.store(value, base, slot)
  }
  public init?(_ value: Value) {
    guard case .uuid(let uuid) = value else { return nil }
    self = uuid
  }
  public var attributeValue: Value { .uuid(self) }
}

extension URL: AttributeValue {
  public static var attributeType: AttributeType { .uri }
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> URL {
    let box: URIBox? = RowMemory.load(base, slot)
    return box?.url ?? URL(filePath: "/")
  }
  public static func _store(_ value: URL, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.store(Optional(URIBox(value)), base, slot)
  }
  public init?(_ value: Value) {
    guard case .uri(let url) = value else { return nil }
    self = url
  }
  public var attributeValue: Value { .uri(self) }
}

extension Decimal: AttributeValue {
  public static var attributeType: AttributeType { .decimal }
  @inlinable @inline(__always)
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Decimal {
    RowMemory.load(base, slot)
  }
  @inlinable @inline(__always)
  public static func _store(_ value: Decimal, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    RowMemory.store(value, base, slot)
  }
  public init?(_ value: Value) {
    guard case .decimal(let number) = value else { return nil }
    self = number
  }
  public var attributeValue: Value { .decimal(self) }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  public static var attributeType: AttributeType { Wrapped.attributeType }
  @inlinable public static var isOptionalValue: Bool { true }
  @inlinable @inline(__always) public static var _isInCell: Bool { Wrapped._isInCell }
  @inlinable @inline(__always)
  public static func _load(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Wrapped? {
    RowMemory.isNull(base, slot) ? nil : Wrapped._loadPresent(base, slot)
  }
  @inlinable @inline(__always)
  public static func _store(_ value: Wrapped?, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    if let value { Wrapped._store(value, base, slot) } else { RowMemory.setNull(base, slot) }
  }
  public init?(_ value: Value) {
    if case .null = value {
      self = .none
      return
    }
    guard let wrapped = Wrapped(value) else { return nil }
    self = wrapped
  }
  public var attributeValue: Value {
    switch self {
    case .some(let wrapped): wrapped.attributeValue
    case .none: .null
    }
  }
}
