// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The entity that declares each slot of an entity's layout: columns are named after it.
struct SlotOwners {
  private let entityName: String
  /// The entities from the root down, each with the number of slots of its layout, inherited ones included.
  private let declaring: [(name: String, slotCount: Int)]

  init(_ entity: EntityDescription) {
    entityName = entity.name ?? ""
    declaring = entity.superentityChain.reversed().map {
      (name: $0.name ?? "", slotCount: $0.layout.slots.count)
    }
  }

  /// Returns the name of the topmost entity whose layout includes a slot.
  func owner(of slot: RowSlot) -> String {
    declaring.first { $0.slotCount > slot.index }?.name ?? entityName
  }
}
