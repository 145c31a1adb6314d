// SPDX-License-Identifier: Apache-2.0

/// Where one property of a row is: its place in the row's memory, its bit among those that say what is nil, and its
/// kind.
///
/// Each slot has a cell of eight bytes, the one that belongs to its bit, and what is no wider than a cell is in it.
/// What is wider is elsewhere; a text keeps in its cell where in the tail of the row its bytes are.
///
/// ```swift
/// if slot.kind == .string { row.setString("Ada", at: slot) }
/// ```
@frozen public struct RowSlot: Sendable, Hashable {
  /// The distance in bytes from the beginning of the row's memory, to either side.
  public let offset: Int32
  /// The distance in bytes of the word with the bit that says whether the property is nil.
  @usableFromInline let nullOffset: Int32
  @usableFromInline let number: UInt16
  @usableFromInline let bit: UInt8
  /// What is held there.
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

  /// The slot of a plain number, date or truth value in the cell of the number that its property has in the class.
  ///
  /// Known when an accessor is compiled: after each word of bits come the 64 cells that it speaks of. It says where a
  /// value is and nothing else: its kind and index are those of no layout.
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

  /// The distance in bytes of the slot's cell.
  @inlinable @inline(__always) var cellOffset: Int { Int(nullOffset) &+ 8 &+ Int(bit) &* 8 }

  /// The slot's bit in the first word of bits; nil when it is in another one.
  @inlinable @inline(__always) package var firstWordBit: UInt64? {
    nullOffset == 0 ? 1 &<< UInt64(bit) : nil
  }

  /// The slot's bit in its word.
  @inlinable @inline(__always) package var mask: UInt64 { 1 &<< UInt64(bit) }

  /// Whether an accessor finds the value in the cell of a number.
  @inlinable package func isInCell(_ number: Int) -> Bool {
    let cell = RowSlot(cell: number)
    return offset == cell.offset && nullOffset == cell.nullOffset && bit == cell.bit
  }
}
