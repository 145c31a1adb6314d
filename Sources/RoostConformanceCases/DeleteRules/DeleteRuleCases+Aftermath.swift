// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Consequences of a deletion: relationships, objects, undo.
extension DeleteRuleCases {
  private static func houses(
    _ name: String, _ title: String, rule: DeleteRule = .cascade,
    _ body: @escaping @Sendable (ConformanceStack, ManagedObject) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.deleteRules, name, title) { stage in
      var sketch = ModelSketch()
      sketch.add("House", [.string("name")])
      sketch.add("Room", [.string("name")])
      sketch.relate(.init("House", "rooms", .ordered, rule: rule), .init("Room", "house", .one))
      let stack = try stage.open(sketch.make())
      let house = try stack.context.make("House", ["name": "H"])
      let rooms = try ["1", "2"].map { try stack.context.make("Room", ["name": $0]) }
      try house.set("rooms", rooms)
      try stack.context.save()
      try body(stack, house)
    }
  }

  static let aftermath: [ConformanceCase] = [
    houses(
      "torn-down", "relationships of what a cascade deletes are empty before willSave (B92)"
    ) { stack, house in
      let rooms = try house.many("rooms")
      stack.context.delete(house)
      stack.context.processPendingChanges()
      try expectEqual(try house.names("rooms"), [], "the rooms of the house")
      for room in rooms {
        try expect(room.isDeleted, "the room is deleted, too")
        try expect(try room.one("house") == nil, "the room has no house")
      }
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Room"), [])
    },
    houses("not-inserted-again", "a saved deletion cannot be inserted again (B95)") {
      stack, house in
      stack.context.delete(house)
      try stack.context.save()
      stack.context.insert(house)
      try expect(!house.isInserted, "it is not inserted")
      try expect(house.managedObjectContext == nil, "it has no context")
      try expectError(.differentContexts, "the next save") { try stack.context.save() }
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("House"), [])
    },
    houses(
      "deny.deleted-destinations",
      "what is deleted in the same event, whatever the order, denies nothing (B87)", rule: .deny
    ) { stack, house in
      for room in try house.many("rooms").reversed() { stack.context.delete(room) }
      stack.context.delete(house)
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("House"), [])
    },
    ConformanceCase(
      .deleteRules, "deny.one-way",
      "a deleted destination that knows no inverse denies nothing (B87)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Shelf", [.string("name")])
      sketch.add("Item", [.string("name")])
      sketch.relate(.init("Shelf", "items", .many, rule: .deny), to: "Item")
      let stack = try stage.open(sketch.make())
      let shelf = try stack.context.make("Shelf", ["name": "S"])
      let item = try stack.context.make("Item", ["name": "I"])
      try shelf.set("items", Set([item]))
      try stack.context.save()
      stack.context.delete(shelf)
      try expectError(.validationRelationshipDeniedDelete) { try stack.context.save() }
      stack.context.delete(item)
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Shelf"), [])
    },
  ]
}
