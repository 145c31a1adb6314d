// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Which entity declares each slot of an entity's layout: columns are named by it.
struct SlotOwners {
  private let entityName: String
  /// Each entity with the number of slots that it and those above it have, from the root down.
  private let declaring: [(name: String, slotCount: Int)]

  init(_ entity: EntityDescription) {
    entityName = entity.name ?? ""
    declaring = entity.superentityChain.reversed().map {
      (name: $0.name ?? "", slotCount: $0.layout.slots.count)
    }
  }

  /// The name of the topmost entity whose layout reaches as far as a slot.
  func owner(of slot: RowSlot) -> String {
    declaring.first { $0.slotCount > slot.index }?.name ?? entityName
  }
}
