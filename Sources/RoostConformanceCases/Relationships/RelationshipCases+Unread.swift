// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Ordered relationships with unread destinations.
extension RelationshipCases {
  static let unreadOrders: [ConformanceCase] = [
    ConformanceCase(
      .relationships, "ordered.append-unread",
      "what is appended to an ordered relationship that was not read comes last (B78, B79)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("House", [.string("name")])
      sketch.add("Room", [.string("name")])
      sketch.relate(.init("House", "rooms", .ordered), .init("Room", "house", .one))
      let stack = try stage.open(sketch.make())
      let house = try stack.context.make("House", ["name": "H"])
      try house.set(
        "rooms", try ["1", "2", "3"].map { try stack.context.make("Room", ["name": $0]) })
      try stack.context.save()
      for name in ["4", "5"] {
        try stack.readAnew()
        let room = try stack.context.make("Room", ["name": name])
        try room.set("house", try stack.context.named("House", "H"))
        try stack.context.save()
      }
      try stack.readAnew()
      try expectEqual(
        try stack.context.named("House", "H").names("rooms"), ["1", "2", "3", "4", "5"])
    },
    company("primitive", "a to-one relationship is known once its object is read (B355)") {
      stack in
      let ada = try stack.context.named("Person", "Ada")
      ada.willAccessValue(forKey: "department")
      let department = try ada.primitiveValue(forKey: "department") as? ManagedObject
      ada.didAccessValue(forKey: "department")
      try expectEqual(try department?.text("name"), "Research")
    },
    ConformanceCase(
      .relationships, "required-to-many",
      "a to-many relationship that is not optional may be empty (B340)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("House", [.string("name")])
      sketch.add("Room", [.string("name")])
      sketch.relate(
        .init("House", "rooms", .many, isOptional: false), .init("Room", "house", .one))
      let stack = try stage.open(sketch.make())
      let house = try stack.context.make("House", ["name": "H"])
      try stack.context.save()
      try house.add(try stack.context.make("Room", ["name": "1"]), to: "rooms")
      try stack.context.save()
      try house.set("rooms", Set<ManagedObject>())
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("House", "H").names("rooms"), [])
    },
  ]
}
