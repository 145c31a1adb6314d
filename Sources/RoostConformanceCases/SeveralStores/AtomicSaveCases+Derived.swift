// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Parts whose unique values the store derives when it writes them.
extension AtomicSaveCases {
  static let derived: [ConformanceCase] = [
    ConformanceCase(
      .severalStores, "atomic.derived", "no save takes a derived unique value of a part (X11)",
      needs: [.preparation, .uniqueness]
    ) { stage in
      var sketch = ModelSketch()
      sketch.add(
        "Word", [.string("name"), .derived("folded", .string, "canonical:(name)")],
        unique: [["folded"]])
      let stack = try stage.open(sketch.make())
      let first = try stack.context.make("Word", ["name": "first"])
      try stack.context.save()
      let store = stack.coordinator.persistentStores[0]
      let preparation = try require(store.preparation, "the ability")
      let layout = first.entity.layout
      let row = Row(
        layout: layout,
        key: RecordKey.make(
          sequence: try store.reserveSequences(1).lowerBound,
          entityCode: RecordKey.entityCode(of: first.objectID.key)),
        version: 1)
      row.setString("Wanted", at: try require(layout.slot(named: "name"), "the slot"))
      let ticket = SaveTicket(
        coordinator: UUID(), decider: .init(identifier: "decider", name: "decider"),
        participants: [store.identity.identifier], startedAt: 1)
      guard case .prepared = try preparation.prepare(StoreChangeSet(inserted: [row]), for: ticket)
      else { throw PersistenceError(.persistentStoreOperation, "The part was to be prepared.") }
      try stack.context.make("Word", ["name": "WANTED"])
      try expectError(.saveInDoubt, "the value of the part") { try stack.context.save() }
      stack.context.rollback()
      _ = try preparation.finish(ticket.id, committing: true)
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      try expectEqual(try fresh.names("Word").sorted(), ["Wanted", "first"], "the words")
    }
  ]
}
