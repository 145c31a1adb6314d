// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Objects that are not validated, and objects that are validated without being read.
extension ValidationCases {
  static let exempt: [ConformanceCase] = [
    ConformanceCase(
      .validation, "gone", "an object whose record is gone is exempt from the rules (B157)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Note", [.string("name", optional: false), .string("text")])
      let stack = try stage.open(sketch.make())
      let note = try stack.context.make("Note", ["name": "a"])
      try stack.context.make("Note", ["name": "b"])
      try stack.context.save()
      try stack.context.refresh(note, mergeChanges: false)
      let other = stack.makeContext()
      other.delete(other.object(with: note.objectID))
      try other.save()
      try expectExact(try note.get("name"), .null)
      try expect(note.isDeleted, "it counts as deleted (B43)")
      try stack.context.named("Note", "b").set("text", "x")
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Note"), ["b"])
    },
    ConformanceCase(
      .validation, "count-unread", "bounds of a relationship are judged without reading it (B9)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Crew", [.string("name")])
      sketch.add("Sailor", [.string("name")])
      sketch.relate(
        .init("Crew", "sailors", .many, minimum: 2, maximum: 4), .init("Sailor", "crew", .one))
      let stack = try stage.open(sketch.make())
      try stack.context.make("Crew", ["name": "empty"])
      let crew = try stack.context.make("Crew", ["name": "c"])
      for index in 0..<3 { try stack.context.make("Sailor", ["name": "\(index)", "crew": crew]) }
      try stack.context.save()
      try stack.readAnew()
      let again = try stack.context.named("Crew", "c")
      for index in 3..<5 {
        try stack.context.make("Sailor", ["name": "\(index)", "crew": again])
      }
      try expectError(.validationRelationshipExceedsMaximumCount) { try stack.context.save() }
      try expect(again.hasFault(forRelationshipNamed: "sailors"), "nothing was loaded")
      stack.context.delete(try stack.context.named("Sailor", "0"))
      try stack.context.save()
      for name in ["1", "2", "3"] {
        try stack.context.named("Sailor", name).set("crew", nil)
      }
      try expectError(.validationRelationshipLacksMinimumCount) { try stack.context.save() }
      try stack.context.named("Sailor", "4").set("crew", nil)
      try stack.context.save()
    },
  ]
}
