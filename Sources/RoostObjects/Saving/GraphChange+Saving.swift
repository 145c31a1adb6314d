// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension GraphChange {
  /// What a save did to the records of its context; what the program did to them before was told when it did it.
  ///
  /// - Parameters:
  ///   - lists: What was written.
  ///   - recomputed: The rows whose derived values the store has computed anew.
  init(
    saved lists: ObjectLists, recomputed: [(id: ObjectID, row: Row)],
    in context: ManagedObjectContext
  ) {
    for object in lists.inserted { add(Record(object, .saved)) }
    for object in lists.updated { add(Record(object, .written)) }
    for object in lists.deleted { add(Record(object, .written)) }
    for (id, row) in recomputed {
      let derived = EntityBinding.binding(of: id.entity).slotPlan.derived
      add(
        Record(
          id: id, object: context.registry.object(for: id), kind: .updated,
          properties: row.layout.propertyNames(ofSlots: derived.lazy.map(\.index))))
    }
  }
}
