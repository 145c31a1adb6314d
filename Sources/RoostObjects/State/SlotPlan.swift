// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The slots of an entity's attributes, by how a save treats them.
struct SlotPlan {
  /// The slots that stores save.
  let stored: [RowSlot]
  /// The slots of transient attributes, which are not passed to stores.
  let transient: [RowSlot]
  /// The slots of derived attributes, which stores compute.
  let derived: [RowSlot]
  /// The slots of floating-point numbers, which may be a negative zero.
  let doubles: [RowSlot]
  /// Whether there are transient slots.
  let hasTransient: Bool

  init(_ attributes: [AttributeDescription], _ layout: RowLayout) {
    let transient = attributes.filter { !$0.isStored }.flatMap(\.slots)
    self.transient = transient
    hasTransient = !transient.isEmpty
    derived = attributes.filter { $0 is DerivedAttributeDescription }.flatMap(\.slots)
    doubles = layout.slots.filter { $0.kind == .double || $0.kind == .date }
    stored = layout.slots.filter { slot in !transient.contains(slot) }
  }
}
