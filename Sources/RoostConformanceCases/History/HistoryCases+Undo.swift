// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension HistoryCases {
  static let undoes: [ConformanceCase] = [
    valued("undo.saved", "what was saved is undone and done again, newest first (L21)") { stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      stack.context.undoManager = undo
      try expect(!undo.canUndo && !undo.canRedo, "nothing was done yet")
      let states = try stack.threeSaves()
      for state in [states[2], states[1], states[0]] {
        try expect(undo.canUndo, "something can be undone")
        stack.context.undo()
        try expect(undo.lastError == nil, "\(String(describing: undo.lastError))")
        try expect(!stack.context.hasChanges, "it is saved")
        try expectEqual(try stack.facts(), state)
      }
      try expect(!undo.canUndo, "all is undone")
      for state in states.dropFirst() {
        try expect(undo.canRedo, "something can be done again")
        stack.context.redo()
        try expectEqual(try stack.facts(), state)
      }
      try expect(!undo.canRedo, "all is done again")
      stack.context.undo()
      try expectEqual(try stack.facts(), states[2], "and undone again")
      try stack.save("Zoe")
      try expect(!undo.canRedo, "what is new ends what could be done again")
    },
    valued("undo.restart", "the stacks outlive the program (L21)", needs: [.reopening]) { stack in
      stack.context.transactionAuthor = "ada"
      let states = try stack.threeSaves()
      func begin() throws -> PersistentUndoManager {
        try stack.reopen()
        let undo = try PersistentUndoManager(stack.context, author: "ada")
        stack.context.undoManager = undo
        return undo
      }
      _ = try begin()
      stack.context.undo()
      try expectEqual(try stack.facts(), states[2])
      _ = try begin()
      stack.context.undo()
      try expectEqual(try stack.facts(), states[1])
      stack.context.redo()
      try expectEqual(try stack.facts(), states[2])
      let undo = try begin()
      try expect(undo.canRedo, "one is left to be done again")
      stack.context.redo()
      try expectEqual(try stack.facts(), states[3])
      try expect(!undo.canRedo && undo.canUndo, "it is the last one")
    },
    valued("undo.authors", "what others save is not undone, and stays (L21)") { stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      stack.context.undoManager = undo
      let person = try stack.context.make("Person", ["name": "Ada", "age": 1, "note": "one"])
      try stack.context.save()
      try person.set("age", 2)
      try person.set("note", "two")
      try stack.context.save()
      let other = stack.makeContext()
      other.transactionAuthor = "bob"
      try other.existingObject(with: person.objectID).set("age", 3)
      try other.save()
      stack.context.undo()
      try expectEqual(try person.number("age"), 3, "what Bob has set")
      try expectEqual(try person.text("note"), "one")
      try expectEqual(undo.lastReport?.conflicts.map(\.property), ["age"])
      let second = try PersistentUndoManager(other, author: "bob")
      second.undo()
      try expectEqual(try other.named("Person", "Ada").number("age"), 2)
      // The insertion is left: when another author takes it back, it is no step of the first one any more.
      try expect(undo.canUndo, "the insertion")
      let first = try require(try stack.history().first, "the first transaction")
      try other.revert(first, force: true)
      try other.save()
      try expect(!undo.canUndo, "nothing is left")
    },
    valued("undo.other-saver", "what is undone stays the author's (L21)") { stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      try stack.save("Ada")
      stack.context.transactionAuthor = "bob"
      undo.undo()
      try expectEqual(try stack.history().map(\.author), ["ada", "ada"])
      try expectEqual(stack.context.transactionAuthor, "bob")
      try expect(undo.canRedo && !undo.canUndo, "it is undone")
    },
    valued("undo.scope", "the name of the context can belong to the scope (L21)") { stack in
      stack.context.name = "editor"
      let undo = try PersistentUndoManager(stack.context, author: "ada", scope: .context)
      try stack.save("Ada")
      let other = stack.makeContext()
      other.transactionAuthor = "ada"
      try other.make("Person", ["name": "Bob"])
      try other.save()
      undo.undo()
      try expectEqual(try stack.context.names("Person"), ["Bob"])
      try expect(!undo.canUndo, "Bob is none of these")
      try expect(try PersistentUndoManager(other, author: "ada").canUndo, "but of the author's")
    },
    valued("undo.unsaved", "unsaved changes are undone first (L21, B107)") { stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      stack.context.undoManager = undo
      let person = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.context.save()
      try person.set("age", 2)
      stack.context.processPendingChanges()
      try expect(undo.canUndo, "the change")
      stack.context.undo()
      try expectEqual(try person.number("age"), 1)
      try expect(!stack.context.hasChanges, "nothing is left")
      try expectEqual(try stack.history().count, 1, "nothing was saved")
      stack.context.redo()
      try expectEqual(try person.number("age"), 2)
      stack.context.rollback()
      try expect(undo.canUndo, "a rollback forgets what was not saved, and no more")
      stack.context.undo()
      try expectEqual(try stack.context.names("Person"), [])
      // Unregistered changes are neither lost nor saved with it.
      stack.context.redo()
      undo.disableUndoRegistration()
      try stack.context.make("Person", ["name": "Bob"])
      stack.context.processPendingChanges()
      undo.undo()
      try expect(undo.lastError != nil, "it is refused")
      try expectEqual(try stack.context.names("Person"), ["Ada", "Bob"])
    },
    valued("undo.passed-over", "what cannot be undone any more is passed over (L21)") { stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      let person = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.save("Bob")
      try person.set("age", 2)
      try stack.context.save()
      let other = stack.makeContext()
      let update = BatchUpdateRequest(entityName: "Person")
      update.propertiesToUpdate = ["age": 3]
      try other.execute(update)
      undo.undo()
      try expect(undo.lastError == nil, "\(String(describing: undo.lastError))")
      try expectEqual(Set(undo.lastReport?.conflicts.compactMap(\.property) ?? []), [])
      try expectEqual(try stack.context.names("Person"), ["Ada", "Bob"], "both were changed since")
    },
    valued("undo.cut", "a history that was cut ends the stack (L21, H12)") { stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      for name in ["Ada", "Bob", "Cleo"] { try stack.save(name) }
      _ = try stack.deleteHistory(before: try stack.token())
      undo.undo()
      try expectEqual(try stack.context.names("Person"), ["Ada", "Bob"])
      undo.undo()
      try expect(!undo.canUndo && undo.lastReport == nil, "there is no more")
      try expectEqual(try stack.context.names("Person"), ["Ada", "Bob"])
    },
    ConformanceCase(
      .history, "undo.refused", "without values there is no lasting undo (L21, H7)",
      needs: [.history]
    ) { stage in
      let stack = try stage.openTracking(PastModel.make())
      try expectError(.persistentStoreUnsupportedRequestType, "the manager") {
        _ = try PersistentUndoManager(stack.context, author: "ada")
      }
      let valued = try stage.openKeepingValues(PastModel.make())
      let child = ManagedObjectContext(.mainQueue, parent: valued.context)
      try expectError(.invalidRequest, "a child") {
        _ = try PersistentUndoManager(child, author: "ada")
      }
    },
  ]
}

extension ConformanceStack {
  /// Saves three times.
  ///
  /// - Returns: The facts before the saves, and after each of them.
  func threeSaves() throws -> [[String]] {
    var states = [try facts()]
    let ada = try make("Person", "Ada")
    let sales = try make("Department", "Sales")
    try ada.set("department", sales)
    try context.save()
    states.append(try facts())
    try ada.set("age", 36)
    try ada.add(try make("Project", "Engine"), to: "projects")
    try context.save()
    states.append(try facts())
    context.delete(ada)
    try context.save()
    states.append(try facts())
    return states
  }
}
