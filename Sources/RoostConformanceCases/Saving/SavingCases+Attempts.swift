// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Saves that fail in the middle, and the retry.
extension SavingCases {
  static let attempts: [ConformanceCase] = [
    faulty(
      "lost-answer", "a retry after an unknown outcome writes no new object twice (B28, B171)"
    ) { stack, faults in
      let context = stack.context
      let zoe = try context.make("Person", ["name": "Zoe"])
      faults.fail(.answer)
      try expectError(.commitOutcomeUnknown, "the save") { try context.save() }
      try expect(zoe.isInserted, "the object is still to be saved")
      try expect(!zoe.objectID.isTemporaryID, "it has the ID that it has in the store")
      try expectError(.managedObjectMerge, "the retry") { try context.save() }
      context.rollback()
      let found = try context.named("Person", "Zoe")
      try expectEqual(found.objectID, zoe.objectID, "the one record's ID")
    },
    faulty(
      "unread-update", "an update whose record is gone and cannot be written ends the save (B43)"
    ) { stack, _ in
      let context = stack.context
      context.shouldDeleteInaccessibleFaults = false
      let id = try stack.makeContext().named("Person", "Eve").objectID
      let engine = try context.named("Project", "Engine")
      let other = stack.makeContext()
      other.delete(other.object(with: id))
      try other.save()
      let ghost = context.object(with: id)
      try engine.mutableSetValue(forKey: "members").insert(ghost)
      try expectError(.objectReferentialIntegrity, "the save") { try context.save() }
      try expect(engine.isUpdated && ghost.isUpdated, "the changes are pending")
      try engine.mutableSetValue(forKey: "members").remove(ghost)
      try context.refresh(ghost, mergeChanges: false)
      try context.save()
      let fresh = stack.makeContext()
      try withExtendedLifetime(fresh) {
        let members = try fresh.named("Project", "Engine").names("members")
        try expectEqual(members, ["Ada", "Bob"], "the members")
      }
    },
    ConformanceCase(
      .saving, "unread-count",
      "a rule that cannot be judged without a round trip ends the save (B150)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Parent", [.string("name")])
      sketch.add("Child", [.string("name")])
      sketch.relate(.init("Parent", "children", .many, maximum: 2), .init("Child", "parent", .one))
      let stack = try stage.open(sketch.make())
      let first = try stack.context.make("Parent", ["name": "p"])
      for name in ["a", "b"] { try stack.context.make("Child", ["name": name, "parent": first]) }
      try stack.context.save()
      try stack.readAnew()
      let context = stack.context
      let parent = try context.named("Parent", "p")
      context.allowsImplicitRoundTrips = false
      let third = try context.make("Child", ["name": "c"])
      try parent.mutableSetValue(forKey: "children").insert(third)
      try expectError(.forbiddenByPolicy, "the save") { try context.save() }
      context.allowsImplicitRoundTrips = true
      try expectError(.validationRelationshipExceedsMaximumCount, "the next one") {
        try context.save()
      }
      try expectEqual(try stack.makeContext().names("Child"), ["a", "b"], "the records")
    },
    faulty(
      "deleted-destination", "nobody is related to an object whose deletion has taken effect (B70)"
    ) { stack, _ in
      let context = stack.context
      let research = try context.named("Department", "Research")
      let eve = try context.named("Person", "Eve")
      context.delete(research)
      context.processPendingChanges()
      try eve.set("department", research)
      try expect(try eve.one("department") == nil, "the relationship is as it was")
      try expectError(.differentContexts, "the save") { try context.save() }
      try context.save()
      try stack.readAnew()
      try expect(try stack.context.named("Person", "Eve").one("department") == nil, "as before")
    },
    faulty(
      "inaccessible-again", "after a rollback an object is asked for anew (B43, B114)"
    ) { stack, _ in
      let context = stack.context
      let id = try stack.makeContext().named("Person", "Eve").objectID
      let other = stack.makeContext()
      other.delete(other.object(with: id))
      try other.save()
      let eve = context.object(with: id)
      try expectExact(try eve.get("age"), .null)
      try expect(eve.isDeleted, "the record is gone")
      context.rollback()
      try expect(!eve.isDeleted, "nothing is deleted")
      context.shouldDeleteInaccessibleFaults = false
      try eve.set("age", 3)
      try expectError(.objectReferentialIntegrity, "the save") { try context.save() }
    },
  ]
}
