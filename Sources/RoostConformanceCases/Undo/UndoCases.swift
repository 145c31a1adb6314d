// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Going back and forth: attributes, relationships on both sides, insertions, deletions, also past a save.
enum UndoCases {
  static let all: [ConformanceCase] = basics + relationships + saves + forgetting

  /// A case with an undo manager, Ada and Bob in Research, saved, and nothing to undo yet.
  static func undoing(
    _ name: String, _ title: String, _ body: @escaping @Sendable (Scene) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.undo, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      let research = try stack.context.make("Department", ["name": "Research"])
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 36])
      let bob = try stack.context.make("Person", ["name": "Bob", "age": 25])
      for person in [ada, bob] { try person.set("department", research) }
      try stack.context.save()
      let manager = ChangeUndoManager()
      stack.context.undoManager = manager
      try body(Scene(stack: stack, manager: manager, research: research, ada: ada, bob: bob))
    }
  }

  struct Scene {
    let stack: ConformanceStack
    let manager: ChangeUndoManager
    let research: ManagedObject
    let ada: ManagedObject
    let bob: ManagedObject

    var context: ManagedObjectContext { stack.context }
  }

  private static let basics: [ConformanceCase] = [
    ConformanceCase(.undo, "none", "without an undo manager nothing is kept or undone (B107)") {
      stage in
      let stack = try stage.open(CompanyModel.make())
      try expect(stack.context.undoManager == nil, "there is no undo manager by default")
      let ada = try stack.context.make("Person", ["name": "Ada"])
      stack.context.undo()
      stack.context.redo()
      try expect(!stack.context.canUndo && !stack.context.canRedo, "there is nothing to undo")
      try expectEqual(try ada.text("name"), "Ada")
    },
    undoing("event", "an event is undone as one, to the values of its beginning (B108, B110)") {
      scene in
      try scene.ada.set("age", 37)
      try scene.ada.set("age", 38)
      try scene.bob.set("name", "Robert")
      try expect(scene.context.canUndo, "the event can be undone")
      scene.context.undo()
      try expectExact(try scene.ada.get("age"), .integer(36))
      try expectEqual(try scene.bob.text("name"), "Bob")
      try expect(!scene.context.hasChanges, "everything is as it was")
      scene.context.redo()
      try expectExact(try scene.ada.get("age"), .integer(38))
      try expectEqual(try scene.bob.text("name"), "Robert")
      try expectEqual(scene.context.updatedObjects, [scene.ada, scene.bob])
    },
    undoing("steps", "events are undone one after the other, the last one first (B108)") { scene in
      for age in 1...3 {
        try scene.ada.set("age", age)
        scene.context.processPendingChanges()
      }
      for age in [2, 1, 36] {
        scene.context.undo()
        try expectExact(try scene.ada.get("age"), .integer(Int64(age)))
      }
      try expect(!scene.context.canUndo, "nothing is left")
      scene.context.undo()
      for age in 1...3 {
        scene.context.redo()
        try expectExact(try scene.ada.get("age"), .integer(Int64(age)))
      }
      try expect(!scene.context.canRedo, "nothing is left")
    },
    undoing("new-change", "a change after an undo ends what could be redone (B110)") { scene in
      try scene.ada.set("age", 1)
      scene.context.undo()
      try scene.bob.set("age", 2)
      try expect(!scene.context.canRedo, "there is nothing to redo")
      scene.context.undo()
      try expectExact(try scene.bob.get("age"), .integer(25))
    },
    undoing("group", "a group of one's own holds several events (B108)") { scene in
      scene.manager.beginUndoGrouping()
      try scene.ada.set("age", 1)
      scene.context.processPendingChanges()
      try scene.bob.set("age", 2)
      scene.manager.endUndoGrouping()
      try expectEqual(scene.manager.undoCount, 1)
      scene.context.undo()
      try expectExact(try scene.ada.get("age"), .integer(36))
      try expectExact(try scene.bob.get("age"), .integer(25))
    },
    undoing("excluded", "changes can be left out of what is undone (B109)") { scene in
      try scene.ada.set("age", 1)
      scene.context.processPendingChanges()
      scene.manager.disableUndoRegistration()
      try scene.bob.set("age", 2)
      scene.context.processPendingChanges()
      scene.manager.enableUndoRegistration()
      scene.context.undo()
      try expectExact(try scene.ada.get("age"), .integer(36))
      try expectExact(try scene.bob.get("age"), .integer(2))
      try expectEqual(scene.context.updatedObjects, [scene.bob])
    },
    undoing("manager", "the manager itself ends the event that it undoes (B97, B108)") { scene in
      try scene.ada.set("age", 1)
      scene.manager.undo()
      try expectExact(try scene.ada.get("age"), .integer(36))
      scene.manager.redo()
      try expectExact(try scene.ada.get("age"), .integer(1))
    },
    undoing("insertion", "an undone insertion leaves the context, and comes back the same (B110)") {
      scene in
      let cleo = try scene.context.make("Person", ["name": "Cleo", "department": scene.research])
      scene.context.undo()
      try expect(cleo.managedObjectContext == nil, "it has no context")
      try expect(!scene.context.hasChanges, "nothing is to be saved")
      try expectEqual(try scene.research.names("people"), ["Ada", "Bob"])
      try expectEqual(try scene.context.names("Person"), ["Ada", "Bob"])
      scene.context.redo()
      try expect(cleo.isInserted, "it is inserted again")
      try expectEqual(try scene.research.names("people"), ["Ada", "Bob", "Cleo"])
      try scene.context.save()
      try scene.stack.readAnew()
      let found = try scene.context.named("Person", "Cleo")
      try expectEqual(try found.one("department")?.text("name"), "Research")
    },
    undoing("passing", "an object that came and went in one event leaves nothing to undo (B89)") {
      scene in
      let cleo = try scene.context.make("Person", ["name": "Cleo", "department": scene.research])
      scene.context.delete(cleo)
      scene.context.processPendingChanges()
      scene.context.undo()
      try expect(cleo.managedObjectContext == nil, "it does not come back")
      try expectEqual(try scene.research.names("people"), ["Ada", "Bob"])
    },
    undoing("faults", "firing a fault, fetching and loading registers nothing (B107, B108)") {
      scene in
      try scene.context.refresh(scene.ada, mergeChanges: false)
      _ = try scene.ada.text("name")
      _ = try scene.research.names("people")
      _ = try scene.context.all("Person")
      scene.context.processPendingChanges()
      try expect(!scene.context.canUndo, "there is nothing to undo")
    },
    undoing("refaulted", "what became a fault since is read, and set back (B110)") { scene in
      try scene.ada.set("age", 1)
      try scene.context.save()
      try scene.context.refresh(scene.ada, mergeChanges: false)
      scene.context.undo()
      try expectExact(try scene.ada.get("age"), .integer(36))
      try expectEqual(scene.context.updatedObjects, [scene.ada])
    },
    undoing("told", "an undo is an event of its own for those who listen (B98, B110)") { scene in
      let cleo = try scene.context.make("Person", ["name": "Cleo"])
      try scene.ada.set("age", 1)
      scene.context.delete(scene.bob)
      scene.context.processPendingChanges()
      let listener = Listener(scene.context)
      scene.context.undo()
      try expectEqual(try listener.take(), ["changed +1 ~2 -1"])
      try expectEqual(listener.last.insertedObjects, [scene.bob])
      try expectEqual(listener.last.deletedObjects, [cleo])
      scene.context.redo()
      try expectEqual(try listener.take(), ["changed +1 ~2 -1"])
      try expectEqual(listener.last.deletedObjects, [scene.bob])
    },
  ]
}
