// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension EventCases {
  static let saves: [ConformanceCase] = [
    listening("save.no-changes", "a save without changes tells nothing (B104)") { stack, listener in
      try stack.context.save()
      let passing = try stack.context.make("Desk", ["name": "passing"])
      stack.context.delete(passing)
      try stack.context.save()
      try expectEqual(try listener.take(), [])
    },
    listening("save.sets", "DidSave has three sets, DidSaveObjectIDs their permanent IDs (B102)") {
      stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      let bob = try stack.context.make("Person", ["name": "Bob"])
      try stack.context.save()
      try ada.set("age", 1)
      stack.context.delete(bob)
      let bobID = bob.objectID
      let cleo = try stack.context.make("Person", ["name": "Cleo"])
      let seen = Seen()
      listener.react { note in
        if note.name == ManagedObjectContext.didSaveObjectsNotification {
          seen.keys = note.userInfo?.keys.compactMap { $0 as? String }.sorted() ?? []
          seen.changes = ManagedObjectContext.ObjectChanges(note)
          seen.areTemporary = cleo.objectID.isTemporaryID
        }
        if note.name == ManagedObjectContext.didSaveObjectIDsNotification {
          seen.ids = ManagedObjectContext.ObjectIDChanges(note)
        }
      }
      try stack.context.save()
      try expectEqual(seen.keys, ["deleted", "inserted", "updated"])
      try expectEqual(seen.changes.insertedObjects, [cleo])
      try expectEqual(seen.changes.updatedObjects, [ada])
      try expectEqual(seen.changes.deletedObjects, [bob])
      try expect(!seen.areTemporary, "IDs are permanent when DidSave is posted (B166)")
      try expectEqual(seen.ids.insertedObjectIDs, [cleo.objectID])
      try expectEqual(seen.ids.updatedObjectIDs, [ada.objectID])
      try expectEqual(seen.ids.deletedObjectIDs, [bobID])
    },
    listening("save.will-save", "what an observer of WillSave changes is saved with it (B101)") {
      stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      listener.react { note in
        guard note.name == ManagedObjectContext.willSaveObjectsNotification else { return }
        try expect(note.userInfo == nil, "WillSave has no user info")
        try ada.set("age", 7)
        try stack.context.make("Person", ["name": "Bob"])
      }
      try stack.context.save()
      try expect(!stack.context.hasChanges, "nothing is left")
      try expectEqual(
        try listener.take(),
        ["changed +1", "willSave", "changed +1 ~1", "didSave +2", "didSaveIDs +2"])
      try stack.readAnew()
      try expectEqual(try stack.context.names("Person"), ["Ada", "Bob"])
      try expectExact(try stack.context.named("Person", "Ada").get("age"), .integer(7))
    },
    listening("save.invalid", "a save that fails its validation has no DidSave (B156)") {
      stack, listener in
      try stack.context.make("Person", ["name": "nul\0"])
      try expectError(.invalidValue) { try stack.context.save() }
      try expectEqual(try listener.take(), ["changed +1", "willSave"])
      stack.context.rollback()
    },
    listening("save.torn-down", "relationships of deleted objects are gone at WillSave (B92)") {
      stack, listener in
      let research = try stack.context.make("Department", ["name": "Research"])
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try ada.set("department", research)
      try stack.context.save()
      stack.context.propagatesDeletesAtEndOfEvent = false
      stack.context.delete(research)
      let seen = Seen()
      listener.react { note in
        guard note.name == ManagedObjectContext.willSaveObjectsNotification else { return }
        seen.keys = [try ada.one("department") == nil ? "torn down" : "intact"]
      }
      try stack.context.save()
      try expectEqual(seen.keys, ["torn down"])
    },
    listening("save.after", "what an observer of DidSave changes is not lost (B168)") {
      stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      listener.react { note in
        guard note.name == ManagedObjectContext.didSaveObjectsNotification else { return }
        if try ada.number("age") == nil { try ada.set("age", 3) }
      }
      try stack.context.save()
      try expectEqual(stack.context.updatedObjects, [ada])
      try stack.context.save()
      try stack.readAnew()
      try expectExact(try stack.context.named("Person", "Ada").get("age"), .integer(3))
    },
    listening("save.endless", "an observer that changes with every event ends the save (B163)") {
      stack, listener in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 0])
      listener.react { note in
        guard note.name == ManagedObjectContext.didChangeObjectsNotification else { return }
        try ada.set("age", try require(ada.number("age")) + 1)
      }
      try expectError(.endlessWillSave) { try stack.context.save() }
      try expect(ada.isInserted, "the object is still to be saved")
      listener.react { _ in }
      try stack.context.save()
    },
  ]

  /// The content of a notification.
  private final class Seen {
    var keys: [String] = []
    var changes = ManagedObjectContext.ObjectChanges()
    var ids = ManagedObjectContext.ObjectIDChanges()
    var areTemporary = true
  }
}
