// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

extension UndoCases {
  static let saves: [ConformanceCase] = [
    undoing("save.update", "undoing after a save makes changes that can be saved (B111)") { scene in
      try scene.ada.set("age", 1)
      try scene.context.save()
      try expect(!scene.context.hasChanges, "everything is saved")
      scene.context.undo()
      try expectEqual(scene.context.updatedObjects, [scene.ada])
      try expectExact(try scene.ada.get("age"), .integer(36))
      try scene.context.save()
      try scene.stack.readAnew()
      try expectExact(try scene.context.named("Person", "Ada").get("age"), .integer(36))
    },
    undoing("save.insertion", "undoing a saved insertion deletes, redoing writes again (B111)") {
      scene in
      let cleo = try scene.context.make("Person", ["name": "Cleo", "department": scene.research])
      try scene.context.save()
      let id = cleo.objectID
      scene.context.undo()
      try expect(cleo.isDeleted, "Cleo is to be deleted")
      try expectEqual(try scene.research.names("people"), ["Ada", "Bob"])
      try scene.context.save()
      try expectEqual(try scene.context.names("Person"), ["Ada", "Bob"])
      scene.context.redo()
      try expect(cleo.isInserted, "Cleo is new again")
      try expectEqual(cleo.objectID, id, "her ID")
      try scene.context.save()
      try scene.stack.readAnew()
      try expectEqual(
        try scene.context.named("Department", "Research").names("people"), ["Ada", "Bob", "Cleo"])
    },
    undoing("save.deletion", "undoing a saved deletion writes the record again (B94, B111)") {
      scene in
      let id = scene.ada.objectID
      let engine = try scene.context.make("Project", ["name": "Engine"])
      try engine.add(scene.ada, to: "members")
      try scene.context.save()
      scene.context.delete(scene.ada)
      try scene.context.save()
      try expectEqual(try scene.context.names("Person"), ["Bob"])
      scene.context.undo()
      try expect(scene.ada.isInserted, "Ada is new again")
      try expect(scene.ada.managedObjectContext === scene.context, "in her context")
      try expectExact(try scene.ada.get("age"), .integer(36))
      try expectEqual(try scene.research.names("people"), ["Ada", "Bob"])
      try expectEqual(try scene.context.names("Person"), ["Ada", "Bob"])
      try scene.context.save()
      try expectEqual(scene.ada.objectID, id, "her ID")
      try scene.stack.readAnew()
      let ada = try scene.context.named("Person", "Ada")
      try expectExact(try ada.get("age"), .integer(36))
      try expectEqual(try ada.one("department")?.text("name"), "Research")
      try expectEqual(try ada.names("projects"), ["Engine"])
    },
    undoing(
      "save.late-rules", "delete rules that wait for the save are undone with their deletion (B84)"
    ) { scene in
      let engine = try scene.context.make("Project", ["name": "Engine"])
      try engine.add(scene.ada, to: "members")
      try scene.bob.set("manager", scene.ada)
      try scene.context.save()
      scene.context.propagatesDeletesAtEndOfEvent = false
      scene.context.delete(scene.ada)
      scene.context.processPendingChanges()
      try expectEqual(try scene.research.names("people"), ["Ada", "Bob"], "before the save")
      scene.context.delete(engine)
      scene.context.processPendingChanges()
      try scene.context.save()
      try expectEqual(try scene.research.names("people"), ["Bob"], "after the save")
      scene.context.undo()
      try expect(engine.isInserted && scene.ada.isDeleted == false, "the project is new again")
      try expectEqual(try engine.names("members"), [], "without Ada")
      scene.context.undo()
      try expectEqual(try scene.research.names("people"), ["Ada", "Bob"])
      try expectEqual(try scene.ada.names("projects"), ["Engine"])
      try expect(try scene.bob.one("manager") === scene.ada, "the manager")
      try scene.context.save()
      try scene.stack.readAnew()
      let ada = try scene.context.named("Person", "Ada")
      try expectEqual(try ada.one("department")?.text("name"), "Research")
      try expectEqual(try ada.names("projects"), ["Engine"])
      try expectEqual(try ada.names("reports"), ["Bob"])
    },
    undoing("save.failed", "a failed save keeps what can be undone (B171)") { scene in
      try scene.ada.set("age", 1)
      try scene.bob.set("name", "nul\0")
      try expectError(.invalidValue) { try scene.context.save() }
      scene.context.undo()
      try expectEqual(try scene.bob.text("name"), "Bob")
      try expect(!scene.context.hasChanges, "everything is as it was")
      try scene.context.save()
    },
    ConformanceCase(.undo, "save.did-save", "what didSave changes is the next group (B113)") {
      stage in
      var sketch = ModelSketch()
      sketch.add("Entry", [.string("name"), .integer("stamp")], class: StampingObject.self)
      let stack = try stage.open(sketch.make())
      stack.context.undoManager = ChangeUndoManager()
      let entry = try stack.context.make("Entry", ["name": "a"])
      try stack.context.save()
      try expectEqual(try entry.number("stamp"), 1)
      stack.context.undo()
      try expectEqual(try entry.number("stamp"), nil, "the stamp")
      try expect(!entry.isDeleted, "the insertion is another group")
      stack.context.undo()
      try expect(entry.isDeleted, "now it is undone")
    },
    ConformanceCase(
      .undo, "snapshot-events", "objects learn why they have other values; awake once (B21, B112)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Entry", [.string("name")], class: RememberingObject.self)
      let stack = try stage.open(sketch.make())
      let context = stack.context
      let diary = Diary()
      context.userInfo["diary"] = diary
      context.undoManager = ChangeUndoManager()
      let entry = try context.make("Entry", ["name": "a"])
      context.processPendingChanges()
      try entry.set("name", "b")
      context.processPendingChanges()
      context.delete(entry)
      context.processPendingChanges()
      try expectEqual(diary.take(), ["insert"])
      context.undo()
      try expectEqual(diary.take(), ["4"], "undoDeletion")
      context.undo()
      try expectEqual(diary.take(), ["8"], "undoUpdate")
      context.undo()
      try expectEqual(diary.take(), ["2"], "undoInsertion")
      for _ in 0..<2 { context.redo() }
      try expectEqual(diary.take(), ["4", "8"], "the way back")
      try expectEqual(try entry.text("name"), "b")
    },
  ]

  static let forgetting: [ConformanceCase] = [
    undoing("rollback", "a rollback empties the undo manager (B114)") { scene in
      try scene.ada.set("age", 1)
      scene.context.processPendingChanges()
      try scene.ada.set("age", 2)
      scene.context.rollback()
      try expectExact(try scene.ada.get("age"), .integer(36))
      try expect(!scene.context.canUndo, "there is nothing to undo")
      scene.context.undo()
      try expectExact(try scene.ada.get("age"), .integer(36))
    },
    undoing("reset", "a reset empties the undo manager (B115)") { scene in
      try scene.ada.set("age", 1)
      scene.context.processPendingChanges()
      scene.context.reset()
      try expect(!scene.context.canUndo, "there is nothing to undo")
      scene.context.undo()
      try expect(!scene.context.hasChanges, "nothing came back")
    },
    undoing("levels", "the oldest groups go when there are too many (B108)") { scene in
      scene.manager.levelsOfUndo = 2
      for age in 1...4 {
        try scene.ada.set("age", age)
        scene.context.processPendingChanges()
      }
      for _ in 0..<4 { scene.context.undo() }
      try expectExact(try scene.ada.get("age"), .integer(2))
    },
    undoing("another-manager", "a manager that is taken away forgets the context (B107)") { scene in
      try scene.ada.set("age", 1)
      scene.context.undoManager = nil
      try expect(!scene.manager.canUndo, "there is nothing to undo")
      try scene.ada.set("age", 2)
      scene.context.undo()
      try expectExact(try scene.ada.get("age"), .integer(2))
    },
  ]
}

/// Changes itself once after its first save.
private final class StampingObject: ManagedObject {
  override func didSave() {
    if (try? number("stamp")) == nil { try? set("stamp", 1) }
  }
}

/// Writes down why its values were replaced.
private final class RememberingObject: ManagedObject {
  private var diary: Diary? { managedObjectContext?.userInfo["diary"] as? Diary }

  override func awakeFromInsert() { diary?.note("insert") }
  override func awake(fromSnapshotEvents flags: SnapshotEventType) {
    diary?.note("\(flags.rawValue)")
  }
}
