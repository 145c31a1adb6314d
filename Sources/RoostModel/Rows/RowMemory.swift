// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Raw access to the memory of a row, given its base address and a slot.
///
/// The slot of a nil property contains a valid zero, empty string or empty data, so that a getter of a non-optional
/// Swift property needs no check.
///
/// ```swift
/// if !RowMemory.isNull(row.base, slot) {
///   let number: Int64 = RowMemory.load(row.base, slot)
/// }
/// ```
@frozen public enum RowMemory {
  /// Whether the slot is nil.
  @inlinable @inline(__always)
  public static func isNull(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Bool {
    base.load(fromByteOffset: Int(slot.nullOffset), as: UInt64.self) & slot.mask != 0
  }

  /// Sets or clears the slot's bit in the null bitmap, without changing the slot itself.
  @inlinable @inline(__always)
  public static func markNull(_ base: UnsafeMutableRawPointer, _ slot: RowSlot, _ isNull: Bool) {
    let offset = Int(slot.nullOffset)
    let word = base.load(fromByteOffset: offset, as: UInt64.self)
    base.storeBytes(
      of: isNull ? word | slot.mask : word & ~slot.mask, toByteOffset: offset, as: UInt64.self)
  }

  /// The value in the slot, which must hold a `T`.
  @inlinable @inline(__always)
  public static func load<T>(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> T {
    // A compile-time condition: only a text may be stored outside of its slot.
    if T.self == String.self { return unsafeBitCast(text(base, slot), to: T.self) }
    return (base + Int(slot.offset)).assumingMemoryBound(to: T.self).pointee
  }

  /// Sets the slot, which must hold a `T`, and makes it not nil.
  @inlinable @inline(__always)
  public static func store<T>(_ value: T, _ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    if T.self == String.self {
      return storeText(unsafeBitCast(value, to: String.self), base, slot)
    }
    (base + Int(slot.offset)).assumingMemoryBound(to: T.self).pointee = value
    // A write that depends on the result of the previous one would serialise the setters.
    if isNull(base, slot) { markNull(base, slot, false) }
  }

  /// Makes the slot nil and releases what it held.
  public static func setNull(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) {
    let place = base + Int(slot.offset)
    switch slot.kind {
    case .integer, .boolean, .reference, .position:
      place.storeBytes(of: 0, as: Int64.self)
    case .double, .date:
      place.storeBytes(of: 0, as: Double.self)
    case .string:
      setText("", place)
    case .data:
      place.assumingMemoryBound(to: Data.self).pointee = Data()
    case .uuid:
      place.storeBytes(of: zeroUUID, as: UUID.self)
    case .decimal:
      place.storeBytes(of: Decimal(), as: Decimal.self)
    case .uri:
      place.assumingMemoryBound(to: URIBox?.self).pointee = nil
    case .transformable:
      place.assumingMemoryBound(to: TransformableValue?.self).pointee = nil
    }
    markNull(base, slot, true)
  }

  static let zeroUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
