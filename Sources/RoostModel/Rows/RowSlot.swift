// SPDX-License-Identifier: Apache-2.0

/// Where one property of a row is: its offset, its bit in the null bitmap and its kind.
///
/// ```swift
/// if slot.kind == .string { row.setString("Ada", at: slot) }
/// ```
@frozen public struct RowSlot: Sendable, Hashable {
  /// The distance in bytes from the beginning of the row's memory.
  public let offset: Int32
  /// The number of the bit in the null bitmap, which is also the slot's index in its layout.
  public let bit: UInt16
  /// What is held there.
  public let kind: SlotKind

  @inlinable package init(offset: Int32, bit: UInt16, kind: SlotKind) {
    self.offset = offset
    self.bit = bit
    self.kind = kind
  }

  /// The slot's index in its layout.
  @inlinable public var index: Int { Int(bit) }
}
