// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Notifications when all objects are refreshed.
extension EventCases {
  static let refreshing: [ConformanceCase] = [
    listening("refresh-all", "what is refreshed as a whole is told (B100, B117)") {
      stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      let bob = try stack.context.make("Person", ["name": "Bob"])
      try stack.context.save()
      try ada.set("age", 1)
      stack.context.processPendingChanges()
      _ = try listener.take()
      try stack.context.refreshAllObjects()
      stack.context.processPendingChanges()
      try expectEqual(try listener.take(), ["changed r2"])
      try expectEqual(listener.last.refreshedObjects, [ada, bob])
    },
    ConformanceCase(
      .events, "refresh-all-failed", "when not everything can be read anew, nothing is (B117)"
    ) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      let context = stack.context
      let ada = try context.make("Person", ["name": "Ada"])
      let bob = try context.make("Person", ["name": "Bob"])
      try context.save()
      try ada.set("age", 1)
      context.stalenessInterval = 0
      faults.fail(.rows)
      try expectError(.persistentStoreOperation) { try context.refreshAllObjects() }
      try expect(!bob.isFault, "the others have their values")
      try expectEqual(faults.fired, 1, "the failed calls")
      try context.refreshAllObjects()
      try expect(bob.isFault && ada.isUpdated, "when it can, they are read anew")
    },
    ConformanceCase(
      .events, "refresh-all-gone", "an object whose record is gone does not keep others old (B117)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let context = stack.context
      let ada = try context.make("Person", ["name": "Ada"])
      let bob = try context.make("Person", ["name": "Bob", "age": 1])
      let cleo = try context.make("Person", ["name": "Cleo", "age": 1])
      try context.save()
      let other = stack.makeContext()
      other.delete(other.object(with: ada.objectID))
      for id in [bob.objectID, cleo.objectID] { try other.object(with: id).set("age", 2) }
      try other.save()
      try ada.set("age", 7)
      try bob.set("note", "here")
      try context.refreshAllObjects()
      try expectEqual(try ada.number("age"), 7, "what was changed here")
      try expectEqual(try bob.number("age"), 2, "what was changed there")
      try expectEqual(try bob.text("note"), "here")
      try expectEqual(try cleo.number("age"), 2)
    },
  ]
}
