// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension GraphChange {
  /// Creates the changes of a save in its own context; the changes before the save were reported when they were made.
  ///
  /// - Parameters:
  ///   - lists: The written objects.
  ///   - recomputed: The rows whose derived values the store has recomputed.
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
