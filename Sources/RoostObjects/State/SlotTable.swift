// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Where the properties of a class are in the rows of an entity. It is made once for the two, and never freed.
struct SlotTable {
  /// The slots, in the order in which `@Entity` numbers the properties. For a relationship the slot's index is the
  /// ordinal.
  let slots: UnsafePointer<RowSlot>
  /// Whether accessors find the numbers, dates and truth values of a row in the cells of their numbers.
  let isInCells: Bool

  /// The table of no properties.
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
