// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Saves that are undone together.
extension HistoryCases {
  static let undoGroups: [ConformanceCase] = [
    valued("undo.group", "the saves of one undo group are undone as one (L21)") { stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      stack.context.undoManager = undo
      try stack.save("Ada")
      let first = try stack.facts()
      undo.beginUndoGrouping()
      let states = try stack.threeSaves()
      undo.beginUndoGrouping()
      try stack.save("Zoe")
      undo.endUndoGrouping()
      undo.endUndoGrouping()
      let grouped = try stack.facts()
      try stack.save("last")
      let last = try stack.facts()
      try expect(states.count == 4 && grouped != last, "there were several saves")
      stack.context.undo()
      try expectEqual(try stack.facts(), grouped, "a save after it is a step of its own")
      stack.context.undo()
      try expect(undo.lastError == nil, "\(String(describing: undo.lastError))")
      try expectEqual(try stack.facts(), first, "the group")
      stack.context.redo()
      try expectEqual(try stack.facts(), grouped, "it is done again as one")
      stack.context.redo()
      try expectEqual(try stack.facts(), last)
      // Another one reads the same from the history.
      try stack.readAnew()
      let again = try PersistentUndoManager(stack.context, author: "ada")
      stack.context.undoManager = again
      for state in [grouped, first] {
        stack.context.undo()
        try expectEqual(try stack.facts(), state, "after a restart")
      }
      stack.context.undo()
      try expect(!again.canUndo, "nothing is left")
      for state in [first, grouped, last] {
        stack.context.redo()
        try expectEqual(try stack.facts(), state, "and done again")
      }
    },
    valued("undo.group-conflict", "what others changed since stays, of a group too (L21, L20)") {
      stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      stack.context.undoManager = undo
      try stack.save("Ada")
      let ada = try stack.context.named("Person", "Ada")
      undo.beginUndoGrouping()
      for age in 1...3 {
        try ada.set("age", age)
        if age == 2 { try ada.set("note", "two") }
        try stack.context.save()
      }
      undo.endUndoGrouping()
      let other = stack.makeContext()
      try other.named("Person", "Ada").set("age", 9)
      try other.save()
      stack.context.undo()
      try expectEqual(try ada.number("age"), 9, "what the other one has set")
      try expectEqual(try ada.text("note"), nil, "what nobody else has")
      try expectEqual(undo.lastReport?.conflicts.map(\.property), ["age"], "it is reported, once")
      stack.context.redo()
      try expectEqual(try ada.text("note"), "two")
      try expectEqual(try ada.number("age"), 9)
    },
    valued("undo.group-in-part", "what is left alone of a group is reported, and passed over (L21)")
    {
      stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      for name in ["Zoe", "Ada"] { try stack.save(name) }
      let ada = try stack.context.named("Person", "Ada")
      undo.beginUndoGrouping()
      for age in 1...2 {
        try ada.set("age", age)
        try stack.context.save()
      }
      try stack.save("Bob")
      try ada.set("note", "last")
      try stack.context.save()
      undo.endUndoGrouping()
      let other = stack.makeContext()
      let found = try other.named("Person", "Ada")
      try found.set("age", 9)
      try found.set("note", "other")
      try other.save()
      undo.undo()
      try expect(undo.lastError == nil, "\(String(describing: undo.lastError))")
      try expectEqual(try stack.context.names("Person"), ["Ada", "Zoe"], "Bob is undone")
      try expectEqual(undo.lastReport?.conflicts.map(\.property), ["note", "age"])
      try expectEqual(undo.lastReport?.changedObjectIDs.count, 1)
      undo.redo()
      try expectEqual(try stack.context.names("Person"), ["Ada", "Bob", "Zoe"])
      try expectEqual(try ada.number("age"), 9)
    },
    valued("undo.group-refused", "a group that is refused half way says what is undone (L21)") {
      stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      let badge = try stack.context.make("Badge", ["name": "first"])
      try stack.context.save()
      undo.beginUndoGrouping()
      try badge.set("name", "second")
      try stack.context.save()
      try stack.save("Ada")
      undo.endUndoGrouping()
      let ada = try stack.context.named("Person", "Ada").objectID
      // Another record has the unique name by now.
      let other = stack.makeContext()
      let rival = try other.make("Badge", ["name": "first"])
      try other.save()
      undo.undo()
      try expect(undo.lastError != nil, "the second save is refused")
      try expectEqual(undo.lastReport?.changedObjectIDs, [ada], "the first one is reported")
      try expectEqual(try stack.context.names("Person"), [], "and saved")
      try expect(!stack.context.hasChanges, "nothing is left unsaved")
      try expectEqual(try badge.text("name"), "second")
      other.delete(rival)
      try other.save()
      undo.undo()
      try expect(undo.lastError == nil, "\(String(describing: undo.lastError))")
      try expectEqual(try badge.text("name"), "first", "what was left")
      for _ in 0..<2 { undo.redo() }
      try expectEqual(try badge.text("name"), "second")
      try expectEqual(try stack.context.names("Person"), ["Ada"])
    },
    valued("undo.group-left", "a group that nobody closes is over with its manager (L21)") {
      stack in
      func leaveOpen() throws {
        let undo = try PersistentUndoManager(stack.context, author: "ada")
        undo.beginUndoGrouping()
        for name in ["Ada", "Bob"] { try stack.save(name) }
      }
      try leaveOpen()
      for name in ["Cleo", "Dan"] { try stack.save(name) }
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      for rest in [["Ada", "Bob", "Cleo"], ["Ada", "Bob"], []] {
        undo.undo()
        try expectEqual(try stack.context.names("Person"), rest)
      }
      // Nor does ending a group of one undo manager end a group of another one.
      undo.beginUndoGrouping()
      let second = try PersistentUndoManager(stack.context, author: "ada")
      second.beginUndoGrouping()
      undo.endUndoGrouping()
      for name in ["Eve", "Fay"] { try stack.save(name) }
      second.endUndoGrouping()
      second.undo()
      try expectEqual(try stack.context.names("Person"), [])
    },
    valued("undo.group-open", "a group that is open ends with it, and not with an undo (L21)") {
      stack in
      let undo = try PersistentUndoManager(stack.context, author: "ada")
      stack.context.undoManager = undo
      undo.beginUndoGrouping()
      try stack.save("Ada")
      try stack.save("Bob")
      stack.context.undo()
      try expectEqual(try stack.context.all("Person").count, 0, "both are undone")
      try stack.save("Cleo")
      undo.endUndoGrouping()
      try stack.save("Dan")
      stack.context.undo()
      try expectEqual(try stack.context.names("Person"), ["Cleo"], "that was outside of it")
      stack.context.undo()
      try expectEqual(try stack.context.all("Person").count, 0)
    },
  ]
}
