// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension UndoCases {
  static let relationships: [ConformanceCase] = [
    undoing("to-one", "a moved object moves back, for all three objects (B66, B110)") { scene in
      let sales = try scene.context.make("Department", ["name": "Sales"])
      try scene.context.save()
      try scene.ada.set("department", sales)
      scene.context.undo()
      try expect(try scene.ada.one("department") === scene.research, "Ada is in Research again")
      try expectEqual(try sales.names("people"), [])
      try expectEqual(try scene.research.names("people"), ["Ada", "Bob"])
      try expect(!scene.context.hasChanges, "everything is as it was")
      scene.context.redo()
      try scene.context.save()
      try scene.stack.readAnew()
      try expectEqual(try scene.context.named("Department", "Sales").names("people"), ["Ada"])
    },
    undoing("stolen", "a stolen partner goes back to its owner (B67, B110)") { scene in
      let desk = try scene.context.make("Desk", ["name": "1"])
      try scene.ada.set("desk", desk)
      try scene.context.save()
      scene.context.processPendingChanges()
      try scene.bob.set("desk", desk)
      scene.context.undo()
      try expect(try desk.one("owner") === scene.ada, "Ada owns the desk")
      try expect(try scene.ada.one("desk") === desk, "and has it")
      try expect(try scene.bob.one("desk") == nil, "Bob has none")
    },
    undoing("many-to-many", "links go and come on both sides (B77, B110)") { scene in
      let engine = try scene.context.make("Project", ["name": "Engine"])
      try scene.context.save()
      try engine.add(scene.ada, scene.bob, to: "members")
      scene.context.processPendingChanges()
      try engine.remove(scene.ada, from: "members")
      scene.context.undo()
      try expectEqual(try engine.names("members"), ["Ada", "Bob"])
      try expectEqual(try scene.ada.names("projects"), ["Engine"])
      scene.context.undo()
      try expectEqual(try engine.names("members"), [])
      try expectEqual(try scene.bob.names("projects"), [])
      try expect(!engine.hasPersistentChangedValues, "nothing differs from the store")
      scene.context.redo()
      try scene.context.save()
      try scene.stack.readAnew()
      let found = try scene.context.named("Project", "Engine")
      try expectEqual(try found.names("members"), ["Ada", "Bob"])
    },
    ConformanceCase(.undo, "ordered", "an order comes back, moves and removals included (B110)") {
      stage in
      let stack = try stage.open(orderedModel())
      let context = stack.context
      let list = try context.make("List", ["name": "list"])
      let items = try (1...5).map { try context.make("Entry", ["name": "\($0)"]) }
      try list.set("entries", items)
      try context.save()
      context.undoManager = ChangeUndoManager()
      try list.set("entries", [items[4], items[0], items[1], items[2], items[3]])
      context.processPendingChanges()
      context.delete(items[1])
      context.processPendingChanges()
      try list.remove(items[4], items[3], from: "entries")
      for wanted in ["5134", "51234", "12345"] {
        context.undo()
        try expectEqual(try list.names("entries").joined(), wanted)
      }
      try expect(!context.hasChanges, "the order is the stored one")
      for wanted in ["51234", "5134", "13"] {
        context.redo()
        try expectEqual(try list.names("entries").joined(), wanted)
      }
      try context.save()
      context.undo()
      context.undo()
      try expectEqual(try list.names("entries").joined(), "51234")
      try context.save()
      try stack.readAnew()
      let found = try stack.context.named("List", "list")
      try expectEqual(try found.names("entries").joined(), "51234")
    },
    ConformanceCase(
      .undo, "ordered-unloaded", "an order comes back after the object was read anew (B110, B111)"
    ) { stage in
      let stack = try stage.open(orderedModel())
      let context = stack.context
      let list = try context.make("List", ["name": "list"])
      let items = try (1...4).map { try context.make("Entry", ["name": "\($0)"]) }
      try list.set("entries", items)
      try context.save()
      context.undoManager = ChangeUndoManager()
      try list.set("entries", Array(items.reversed()))
      context.processPendingChanges()
      try list.remove(items[2], from: "entries")
      try context.save()
      for wanted in ["4321", "1234"] {
        try context.refreshAllObjects()
        context.undo()
        try expectEqual(try list.names("entries").joined(), wanted)
        try context.save()
      }
      try stack.readAnew()
      let found = try stack.context.named("List", "list")
      try expectEqual(try found.names("entries").joined(), "1234")
    },
    undoing("deletion", "a deleted object comes back with values and relationships (B94, B110)") {
      scene in
      try scene.ada.set("age", 40)
      scene.context.processPendingChanges()
      scene.context.delete(scene.ada)
      scene.context.processPendingChanges()
      try expectEqual(try scene.research.names("people"), ["Bob"])
      scene.context.undo()
      try expect(!scene.ada.isDeleted && scene.ada.isUpdated, "Ada is updated, not deleted")
      try expectExact(try scene.ada.get("age"), .integer(40))
      try expect(try scene.ada.one("department") === scene.research, "Ada has her department")
      try expectEqual(try scene.research.names("people"), ["Ada", "Bob"])
      scene.context.undo()
      try expect(!scene.context.hasChanges, "everything is as it was")
      scene.context.redo()
      scene.context.redo()
      try expect(scene.ada.isDeleted, "Ada is deleted again")
      try scene.context.save()
      try expectEqual(try scene.context.names("Person"), ["Bob"])
    },
    undoing(
      "saved-deletion",
      "a saved deletion that is undone is no version that others know (B110, B172)"
    ) {
      scene in
      let stack = scene.stack
      let (reader, merging) = (stack.makeContext(), stack.makeContext())
      merging.automaticallyMergesChangesFromParent = true
      let theirs = try [reader, merging].map { try $0.named("Person", "Ada") }
      for ada in theirs { try expectEqual(try ada.number("age"), 36) }
      try scene.ada.set("age", 40)
      try scene.context.save()
      for _ in 0..<2 {
        let known = try stack.version(of: scene.ada)
        scene.context.delete(scene.ada)
        try scene.context.save()
        scene.context.undo()
        try scene.context.save()
        try expect(try stack.version(of: scene.ada) > known, "the version is a later one")
      }
      merging.processPendingChanges()
      try expectEqual(
        try merging.named("Person", "Ada").number("age"), 40, "who merges reads it anew")
      try theirs[0].set("note", "old")
      try expectError(.managedObjectMerge, "what was read from the old record") {
        try reader.save()
      }
      // So it is where a context below takes it back.
      let child = ManagedObjectContext(.privateQueue, parent: scene.context)
      child.undoManager = ChangeUndoManager()
      let below = try child.existingObject(with: scene.ada.objectID)
      let known = try stack.version(of: scene.ada)
      child.delete(below)
      try child.save()
      try scene.context.save()
      child.undo()
      try child.save()
      try scene.context.save()
      try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 40)
      try expect(try stack.version(of: below) > known, "the version is a later one")
    },
    undoing("new-deletion", "a new object that was deleted later comes back as new (B89, B94)") {
      scene in
      let cleo = try scene.context.make("Person", ["name": "Cleo", "department": scene.research])
      scene.context.processPendingChanges()
      scene.context.delete(cleo)
      scene.context.processPendingChanges()
      try expect(cleo.managedObjectContext == nil, "it was forgotten")
      scene.context.undo()
      try expect(cleo.isInserted, "it is new again")
      try expectEqual(try scene.research.names("people"), ["Ada", "Bob", "Cleo"])
      try scene.context.save()
      try scene.stack.readAnew()
      try expectEqual(
        try scene.context.named("Department", "Research").names("people"), ["Ada", "Bob", "Cleo"])
    },
    ConformanceCase(.undo, "cascade", "a cascade comes back as a whole (B86, B94, B110)") {
      stage in
      let stack = try stage.open(orderedModel())
      let context = stack.context
      let list = try context.make("List", ["name": "list"])
      let items = try (1...3).map { try context.make("Entry", ["name": "\($0)"]) }
      try list.set("entries", items)
      try context.save()
      context.undoManager = ChangeUndoManager()
      context.delete(list)
      context.processPendingChanges()
      try expectEqual(context.deletedObjects.count, 4)
      context.undo()
      try expect(!context.hasChanges, "everything is as it was")
      try expectEqual(try list.names("entries").joined(), "123")
      context.redo()
      try context.save()
      try expectEqual(try context.names("Entry"), [])
      context.undo()
      try expectEqual(context.insertedObjects.count, 4)
      try context.save()
      try stack.readAnew()
      try expectEqual(
        try stack.context.named("List", "list").names("entries").joined(), "123")
    },
  ]

  private static func orderedModel() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("List", [.string("name")])
    sketch.add("Entry", [.string("name")])
    sketch.relate(
      .init("List", "entries", .ordered, rule: .cascade), .init("Entry", "list", .one))
    return sketch.make()
  }
}
