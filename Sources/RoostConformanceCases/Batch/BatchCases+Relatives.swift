// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

// Effects of batch requests on relationships, on read-only stores, and on other entities.
extension BatchCases {
  static let relatives: [ConformanceCase] = [
    ConformanceCase(
      .batch, "delete.positions",
      "a batch deletion takes the order from those that it leaves without an owner (B275)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("House", [.string("name")])
      sketch.add("Room", [.string("name")])
      sketch.relate(.init("House", "rooms", .ordered), .init("Room", "house", .one))
      let stack = try stage.open(sketch.make())
      let house = try stack.context.make("House", ["name": "H"])
      let rooms = try ["1", "2", "3"].map { try stack.context.make("Room", ["name": $0]) }
      try house.set("rooms", rooms)
      try stack.context.save()
      try stack.context.execute(
        BatchDeleteRequest(fetchRequest: FetchRequest<ManagedObject>(entityName: "House")))
      for room in rooms {
        let row = try stack.coordinator.existingRow(for: room.objectID)
        for slot in row.layout.slots where slot.kind == .position || slot.kind == .reference {
          try expect(row.isNull(slot), "no owner and no position is left")
        }
      }
      try stack.readAnew()
      let next = try stack.context.make("House", ["name": "N"])
      try next.set("rooms", try stack.context.all("Room").reversed() as [ManagedObject])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(
        try stack.context.named("House", "N").names("rooms"), ["3", "2", "1"], "a new order")
    },
    ConformanceCase(
      .batch, "insert.read-only-first",
      "a batch insertion goes to the first store that can be written (B278)", needs: [.reopening]
    ) { stage in
      let first = try stage.makeStore()
      try stage.open(SampleModel.make(), on: [first]).close()
      var readOnly = first
      readOnly.isReadOnly = true
      let stack = try stage.open(SampleModel.make(), on: [readOnly, stage.makeReferenceStore()])
      let stores = stack.coordinator.persistentStores
      let entity = try require(stack.model.entities.first { !$0.isAbstract }, "an entity")
      let request = BatchInsertRequest(entity: entity, objects: [[:]])
      request.resultType = .objectIDs
      let id = try require(try stack.context.execute(request).objectIDs?.first, "the ID")
      try expect(id.persistentStore === stores[1], "the store that can be written")
      request.affectedStoreIdentifiers = [stores[0].identity.identifier]
      try expectError(.readOnlyStore, "an insertion into the other") {
        try stack.context.execute(request)
      }
    },
    ConformanceCase(
      .batch, "upsert.sibling",
      "a record of a sibling entity takes over nothing: the insertion is refused (B276)",
      needs: [.uniqueness]
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Contact", [.string("name"), .string("email")], unique: [["email"]])
      sketch.add("Client", [.string("number")], parent: "Contact")
      sketch.add("Supplier", [.string("iban")], parent: "Contact")
      let stack = try stage.open(sketch.make())
      try stack.context.make("Supplier", ["name": "old", "email": "x", "iban": "1"])
      try stack.context.save()
      stack.context.mergePolicy = .mergeByPropertyObjectTrump
      let request = BatchInsertRequest(
        entityName: "Client", objects: [["name": "new", "email": "x", "number": "7"]])
      try expectError(.managedObjectConstraintMerge) { try stack.context.execute(request) }
      try stack.readAnew()
      let found = try stack.context.all("Contact")
      try expectEqual(try found.map { try $0.text("name") }, ["old"])
      try expectEqual(found.map { $0.entity.name }, ["Supplier"])
      try expectEqual(try found.first?.text("iban"), "1")
    },
  ]
}
