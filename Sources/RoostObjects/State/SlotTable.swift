// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The slots of a class's properties in the rows of an entity. Created once for each pair, and never freed.
struct SlotTable {
  /// The slots, by `@Entity`'s index of the property. For a relationship the slot's index is the ordinal.
  let slots: UnsafePointer<RowSlot>
  /// Whether the numbers, dates and truth values of a row are in the cells with the index of the property.
  let isInCells: Bool

  /// The table of a class without properties.
  init() {
    self.init([], isInCells: true)
  }

  init(_ slots: [RowSlot], isInCells: Bool) {
    let table = UnsafeMutableBufferPointer<RowSlot>.allocate(capacity: max(1, slots.count))
    _ = table.initialize(from: slots)
    // A buffer of at least one element has an address.
    self.slots = UnsafePointer(table.baseAddress!)
    self.isInCells = isInCells
  }
}
