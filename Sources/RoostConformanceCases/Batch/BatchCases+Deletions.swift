// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension BatchCases {
  /// Parts that belong to a house: rules of every kind around one entity.
  private static func ruled(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.batch, name, title) { stage in
      var sketch = ModelSketch()
      for entity in ["House", "Room", "Lamp", "Guest", "Deed", "Street"] {
        sketch.add(entity, [.string("name")])
      }
      sketch.relate(.init("House", "rooms", .many, rule: .cascade), .init("Room", "house", .one))
      sketch.relate(.init("Room", "lamps", .ordered, rule: .cascade), .init("Lamp", "room", .one))
      sketch.relate(.init("House", "guests", .many, rule: .deny), .init("Guest", "house", .one))
      sketch.relate(.init("House", "deed", .one), .init("Deed", "house", .one))
      sketch.relate(.init("House", "streets", .many), .init("Street", "houses", .many))
      let stack = try stage.open(sketch.make())
      let street = try stack.context.make("Street", ["name": "street"])
      for number in 1...3 {
        let house = try stack.context.make("House", ["name": "house \(number)"])
        let room = try stack.context.make("Room", ["name": "room \(number)", "house": house])
        try stack.context.make("Lamp", ["name": "lamp \(number)", "room": room])
        try stack.context.make("Guest", ["name": "guest \(number)", "house": house])
        try stack.context.make("Deed", ["name": "deed \(number)", "house": house])
        try street.add(house, to: "houses")
      }
      try stack.context.save()
      try body(stack)
    }
  }

  static let deletions: [ConformanceCase] = [
    ruled(
      "delete-rules", "cascade and nullify are applied in the store, deny is not asked (B275)"
    ) { stack in
      let request = BatchDeleteRequest(
        fetchRequest: try stack.context.request("House", "name != 'house 2'", []))
      request.resultType = .resultTypeCount
      try expectEqual(try stack.context.execute(request).count, 6, "houses, rooms and lamps")
      try stack.readAnew()
      let context = stack.context
      try expectEqual(try context.names("House"), ["house 2"])
      try expectEqual(try context.names("Room"), ["room 2"])
      try expectEqual(try context.names("Lamp"), ["lamp 2"])
      try expectEqual(try context.names("Guest", "house == nil"), ["guest 1", "guest 3"])
      try expectEqual(try context.names("Deed", "house == nil"), ["deed 1", "deed 3"])
      try expectEqual(try context.named("Street", "street").names("houses"), ["house 2"])
    },
    ruled("delete-ids", "given records are removed, gone ones are no error (B275)") { stack in
      let ids = try stack.context.all("Lamp").map(\.objectID)
      let request = BatchDeleteRequest(objectIDs: [ids[0], ids[1]])
      request.resultType = .resultTypeObjectIDs
      try expectEqual(Set(try stack.context.execute(request).objectIDs ?? []), Set(ids.prefix(2)))
      try expectEqual(try stack.context.execute(request).objectIDs, [])
      try stack.readAnew()
      try expectEqual(try stack.context.names("Lamp"), ["lamp 3"])
    },
    ruled("delete-ids-refused", "IDs of several entities, and temporary ones, are refused (B275)") {
      stack in
      let lamp = try stack.context.named("Lamp", "lamp 1").objectID
      let deed = try stack.context.named("Deed", "deed 1").objectID
      let new = try stack.context.make("Lamp", [:]).objectID
      for ids in [[lamp, deed], [lamp, new]] {
        try expectError(.invalidRequest, "the deletion") {
          try stack.context.execute(BatchDeleteRequest(objectIDs: ids))
        }
      }
      try expectEqual(try stack.makeContext().names("Lamp").count, 3, "the lamps")
    },
    ruled("delete-window", "order, offset and limit of the fetch request count (B275)") { stack in
      let fetch = try stack.context.request("Lamp", nil, [])
      fetch.fetchOffset = 1
      fetch.fetchLimit = 1
      try stack.context.execute(BatchDeleteRequest(fetchRequest: fetch))
      try stack.readAnew()
      try expectEqual(try stack.context.names("Lamp"), ["lamp 1", "lamp 3"])
    },
    ruled("delete-silent", "contexts are not told; their saves find out (B272)") { stack in
      let lamp = try stack.context.named("Lamp", "lamp 1")
      try expectEqual(try lamp.text("name"), "lamp 1")
      let request = BatchDeleteRequest(
        fetchRequest: try stack.context.request("Lamp", "name == 'lamp 1'", []))
      try stack.context.execute(request)
      try expect(!lamp.isDeleted && !stack.context.hasChanges, "the context does not know")
      try lamp.set("name", "other")
      try expectError(.managedObjectMerge, "the save") { try stack.context.save() }
    },
    company("delete-cycle", "a condition through relationships, and people in a ring (B275)") {
      stack in
      let people = try stack.context.all("Person")
      for (index, person) in people.enumerated() {
        try person.set("manager", people[(index + 1) % people.count])
      }
      try stack.context.save()
      let request = BatchDeleteRequest(
        fetchRequest: try stack.context.request("Person", "department.name == 'Research'", []))
      try stack.context.execute(request)
      try stack.readAnew()
      try expectEqual(try stack.context.names("Person"), ["Cleo", "Dan", "Eve"])
      try expectEqual(try stack.context.names("Person", "manager == nil"), ["Eve"])
      try expectEqual(try stack.context.named("Project", "Engine").names("members"), [])
    },
  ]
}
