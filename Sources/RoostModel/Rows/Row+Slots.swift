// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Typed access to one slot. Setters may be used only by the code that made the row, before the row is shared.
extension Row {
  /// Whether the property is nil.
  @inlinable @inline(__always) public func isNull(_ slot: RowSlot) -> Bool {
    RowMemory.isNull(base, slot)
  }

  /// Makes the property nil.
  @inlinable public func setNull(_ slot: RowSlot) {
    RowMemory.setNull(base, slot)
  }

  /// The number in an `integer`, `boolean`, `reference` or `position` slot; 0 when nil.
  @inlinable @inline(__always) public func integer(_ slot: RowSlot) -> Int64 {
    RowMemory.load(base, slot)
  }

  /// Sets an `integer`, `boolean`, `reference` or `position` slot.
  @inlinable public func setInteger(_ value: Int64, at slot: RowSlot) {
    RowMemory.store(value, base, slot)
  }

  /// The number in a `double` or `date` slot; 0 when nil.
  @inlinable @inline(__always) public func double(_ slot: RowSlot) -> Double {
    RowMemory.load(base, slot)
  }

  /// Sets a `double` or `date` slot.
  @inlinable public func setDouble(_ value: Double, at slot: RowSlot) {
    RowMemory.store(value, base, slot)
  }

  /// The string in a `string` slot; empty when nil.
  @inlinable public func string(_ slot: RowSlot) -> String {
    RowMemory.text(base, slot)
  }

  /// Sets a `string` slot.
  @inlinable public func setString(_ value: String, at slot: RowSlot) {
    RowMemory.storeText(value, base, slot)
  }

  /// The bytes in a `data` slot; empty when nil.
  @inlinable public func data(_ slot: RowSlot) -> Data {
    RowMemory.load(base, slot)
  }

  /// Sets a `data` slot.
  @inlinable public func setData(_ value: Data, at slot: RowSlot) {
    RowMemory.store(value, base, slot)
  }

  /// The UUID in a `uuid` slot; all zero when nil.
  @inlinable public func uuid(_ slot: RowSlot) -> UUID {
    RowMemory.load(base, slot)
  }

  /// Sets a `uuid` slot.
  @inlinable public func setUUID(_ value: UUID, at slot: RowSlot) {
    RowMemory.store(value, base, slot)
  }

  /// The number in a `decimal` slot; 0 when nil.
  @inlinable public func decimal(_ slot: RowSlot) -> Decimal {
    RowMemory.load(base, slot)
  }

  /// Sets a `decimal` slot.
  @inlinable public func setDecimal(_ value: Decimal, at slot: RowSlot) {
    RowMemory.store(value, base, slot)
  }

  /// The URI in a `uri` slot.
  @inlinable public func uri(_ slot: RowSlot) -> URL? {
    let box: URIBox? = RowMemory.load(base, slot)
    return box?.url
  }

  /// Sets a `uri` slot.
  @inlinable public func setURI(_ value: URL, at slot: RowSlot) {
    RowMemory.store(Optional(URIBox(value)), base, slot)
  }

  /// The value in a `transformable` slot.
  @inlinable public func transformable(_ slot: RowSlot) -> TransformableValue? {
    RowMemory.load(base, slot)
  }

  /// Sets a `transformable` slot.
  @inlinable public func setTransformable(_ value: TransformableValue, at slot: RowSlot) {
    RowMemory.store(Optional(value), base, slot)
  }

  /// The key of the destination of a to-one relationship; nil when there is none.
  @inlinable @inline(__always) public func reference(_ slot: RowSlot) -> Int64? {
    isNull(slot) ? nil : integer(slot)
  }
}

/// A URI in a row: `URL` has no fixed size that a layout could count on.
public final class URIBox: Sendable {
  /// The URI.
  public let url: URL

  /// Makes a box.
  public init(_ url: URL) {
    self.url = url
  }
}
