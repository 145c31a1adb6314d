// SPDX-License-Identifier: Apache-2.0

/// The slot of one property in a row: its offset in the row's memory, its null bit, and its kind.
///
/// Each slot has a cell of eight bytes, which belongs to its null bit and holds values of up to eight bytes. Wider
/// values are elsewhere; the cell of a text contains the location of its bytes in the row's tail.
///
/// ```swift
/// if slot.kind == .string { row.setString("Ada", at: slot) }
/// ```
@frozen public struct RowSlot: Sendable, Hashable {
  /// The offset in bytes from the row's base address, positive or negative.
  public let offset: Int32
  /// The offset in bytes of the word with the null bit.
  @usableFromInline let nullOffset: Int32
  @usableFromInline let number: UInt16
  @usableFromInline let bit: UInt8
  /// The kind of value.
  public let kind: SlotKind

  @inlinable package init(
    offset: Int32, nullOffset: Int32, bit: UInt8, index: UInt16, kind: SlotKind
  ) {
    self.offset = offset
    self.nullOffset = nullOffset
    self.bit = bit
    number = index
    self.kind = kind
  }

  /// Makes the slot of a plain number, date or Boolean from the number of its property in the class.
  ///
  /// It is a compile-time constant in an accessor: each word of null bits is followed by its 64 cells. Only the
  /// location is valid; kind and index are placeholders.
  ///
  /// - Parameter number: The property's number, 0 for the first one of the topmost class.
  @inlinable @inline(__always) public init(cell number: Int) {
    let group = number &>> 6
    nullOffset = Int32(truncatingIfNeeded: group &* 65 &* 8)
    offset = Int32(truncatingIfNeeded: (number &+ group &+ 1) &* 8)
    bit = UInt8(truncatingIfNeeded: number & 63)
    self.number = UInt16(truncatingIfNeeded: number)
    kind = .integer
  }

  /// The slot's index in its layout.
  @inlinable public var index: Int { Int(number) }

  /// The offset in bytes of the slot's cell.
  @inlinable @inline(__always) var cellOffset: Int { Int(nullOffset) &+ 8 &+ Int(bit) &* 8 }

  /// The slot's bit in the first word of null bits; nil when it is in another one.
  @inlinable @inline(__always) package var firstWordBit: UInt64? {
    nullOffset == 0 ? 1 &<< UInt64(bit) : nil
  }

  /// The slot's bit in its word.
  @inlinable @inline(__always) package var mask: UInt64 { 1 &<< UInt64(bit) }

  /// Whether the slot is in the cell of a property number, where an accessor reads it.
  @inlinable package func isInCell(_ number: Int) -> Bool {
    let cell = RowSlot(cell: number)
    return offset == cell.offset && nullOffset == cell.nullOffset && bit == cell.bit
  }
}
