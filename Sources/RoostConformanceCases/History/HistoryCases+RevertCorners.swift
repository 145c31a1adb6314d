// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Reverts of saves that the context has not merged, of orders, and of records that others use.
extension HistoryCases {
  static let revertCorners: [ConformanceCase] =
    [
      valued("revert.unmerged", "what another context saved is taken back unmerged, too (L20)") {
        stack in
        let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
        let engine = try stack.make("Project", "Engine")
        try stack.context.save()
        try expectEqual(try ada.names("projects"), [], "read here")
        let before = try stack.facts()
        let sibling = stack.makeContext()
        func expectTakenBack(
          _ what: String, _ change: (ManagedObject, ManagedObjectContext) throws -> Void
        ) throws {
          try change(try sibling.existingObject(with: ada.objectID), sibling)
          try sibling.save()
          try stack.revertLast()
          try stack.context.save()
          try expectEqual(try stack.facts(), before, what)
          let numbers = try stack.history().suffix(2).map(\.transactionNumber)
          try expectEqual(
            try stack.history().last?.revertedTransactionNumbers, [numbers[0]],
            "\(what): its number")
          try sibling.refreshAllObjects()
        }
        try expectTakenBack("a value") { person, _ in try person.set("age", 2) }
        try expectTakenBack("a link") { person, context in
          try person.add(try context.existingObject(with: engine.objectID), to: "projects")
        }
        try expectTakenBack("an insertion") { _, context in
          try context.make("Person", ["name": "Bob"])
        }
        sibling.delete(try sibling.existingObject(with: ada.objectID))
        try sibling.save()
        try stack.revertLast()
        try stack.context.save()
        try expectEqual(try stack.facts(), before, "a deletion")
      },
      valued(
        "undo.unmerged", "the author's saves of another context are undone unmerged (L21, L20)"
      ) { stack in
        let undo = try PersistentUndoManager(stack.context, author: "ada")
        let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
        try stack.context.save()
        let sibling = stack.makeContext()
        sibling.transactionAuthor = "ada"
        try sibling.existingObject(with: ada.objectID).set("age", 2)
        try sibling.save()
        undo.undo()
        try expect(undo.lastError == nil, "\(String(describing: undo.lastError))")
        try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 1)
        try expect(undo.canRedo, "it can be done again")
        undo.redo()
        try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 2)
        try expectEqual(try ada.number("age"), 2, "what the context shows")
        for _ in 0..<2 { undo.undo() }
        try expectEqual(try stack.makeContext().names("Person"), [], "the insertion, too")
      },
      valued("undo.reorder", "an order is undone once, and the save before it next (L21, L20)") {
        stack in
        let undo = try PersistentUndoManager(stack.context, author: "ada")
        let (list, entries) = try savedOrder(stack)
        try list.set("name", "Drinks")
        try stack.context.save()
        let before = try stack.facts()
        try list.set("entries", Array(entries.reversed()))
        try stack.context.save()
        let after = try stack.facts()
        undo.undo()
        try expectEqual(try stack.facts(), before)
        undo.redo()
        try expectEqual(try stack.facts(), after)
        for _ in 0..<2 { undo.undo() }
        try expectEqual(try list.text("name"), "Food")
        try expectEqual(try list.names("entries"), ["a", "b", "c"])
      },
      valued("undo.positions", "what was removed from an order comes back to its place (L20, L21)")
      {
        stack in
        let undo = try PersistentUndoManager(stack.context, author: "ada")
        let list = try stack.make("List", "Food")
        let entries = try ["a", "b", "c", "d"].map { try stack.make("Entry", $0) }
        try list.set("entries", entries)
        try list.set("favourites", entries)
        try stack.context.save()
        var states = [try stack.facts()]
        for entry in [entries[1], entries[2]] {
          stack.context.delete(entry)
          try stack.context.save()
          states.append(try stack.facts())
        }
        // A place that is taken in the meantime, and positions that are all assigned anew.
        var members = [entries[0], entries[3]]
        for number in 0..<14 {
          members.insert(try stack.make("Entry", "new \(number)"), at: 1)
          try list.set("entries", members)
          try list.set("favourites", members)
          try stack.context.save()
          states.append(try stack.facts())
        }
        try list.set("favourites", Array(members.reversed()))
        try stack.context.save()
        for (number, state) in states.enumerated().reversed() {
          undo.undo()
          try expect(undo.lastError == nil, "\(String(describing: undo.lastError))")
          try expectEqual(try stack.facts(), state, "after \(number) saves")
        }
        for state in states.dropFirst() {
          undo.redo()
          try expectEqual(try stack.facts(), state, "done again")
        }
      },
      valued("undo.left-positions", "what has left an order comes back to its place (L20, L21)") {
        stack in
        let undo = try PersistentUndoManager(stack.context, author: "ada")
        let (list, entries) = try savedOrder(stack)
        var states = [try stack.facts()]
        func save() throws {
          try stack.context.save()
          states.append(try stack.facts())
        }
        try list.set("entries", [entries[0], entries[1]])
        try save()
        // It gets the first position of another list, and is deleted after it has left that one, too.
        let other = try stack.make("List", "Drinks")
        try other.set("entries", [entries[2]])
        try save()
        try other.set("entries", [ManagedObject]())
        try save()
        stack.context.delete(entries[2])
        try save()
        for state in states.dropLast().reversed() {
          undo.undo()
          try expectEqual(try stack.facts(), state)
        }
        for state in states.dropFirst() {
          undo.redo()
          try expectEqual(try stack.facts(), state, "done again")
        }
      },
      valued("revert.older-inside", "a revert deletes no record that is older (L20)") { stack in
        let (list, entry) = (try stack.make("List", "A"), try stack.make("Entry", "e"))
        try entry.set("list", list)
        try stack.context.save()
        let new = try stack.make("List", "F")
        try entry.set("list", new)
        try stack.context.save()
        let transaction = try require(try stack.history().last, "the transaction")
        stack.context.delete(list)
        try stack.context.save()
        let report = try stack.context.revert(transaction)
        try expectEqual(report.conflicts.map(\.property), ["entries"])
        try expectEqual(report.missing.map(\.property), ["list"])
        try stack.context.save()
        try expectEqual(try stack.makeContext().names("List"), ["F"], "it is needed")
        try expectEqual(try stack.makeContext().names("Entry"), ["e"])
        _ = new
      },
      valued("revert.exchanged", "what replaced a deleted owner goes when that comes back (L20)") {
        stack in
        let (list, entry) = (try stack.make("List", "A"), try stack.make("Entry", "e"))
        try entry.set("list", list)
        try stack.context.save()
        let before = try stack.facts()
        let new = try stack.make("List", "F")
        try entry.set("list", new)
        try new.add(try stack.make("Entry", "f"), to: "entries")
        stack.context.delete(list)
        try stack.context.save()
        try stack.revertLast()
        try stack.context.save()
        try expectEqual(try stack.facts(), before)
      },
      valued("revert.unsaved-links", "a new record with unsaved relationships stays (L20)") {
        stack in
        let list = try stack.make("List", "Food")
        let sales = try stack.make("Department", "Sales")
        try stack.context.save()
        let last = try require(try stack.history().last, "the transaction")
        let (entry, person) = (try stack.make("Entry", "milk"), try stack.make("Person", "Ada"))
        try entry.set("list", list)
        try person.set("department", sales)
        let report = try stack.context.revert(last)
        try expectEqual(Set(report.conflicts.compactMap(\.property)), ["entries", "people"])
        try stack.context.save()
        try expectEqual(try stack.context.names("Entry", "list.name == 'Food'"), ["milk"])
        try expectEqual(try stack.context.names("Person", "department.name == 'Sales'"), ["Ada"])
      },
      valued(
        "undo.cut-revert", "an undo whose transaction is not kept any more is no change (L21, H12)",
        needs: [.reopening]
      ) { stack in
        func begin() throws -> PersistentUndoManager {
          try PersistentUndoManager(stack.context, author: "ada")
        }
        var undo = try begin()
        for name in ["Ada", "Bob"] { try stack.save(name) }
        undo.undo()
        _ = try stack.deleteHistory(before: try stack.token())
        try expectEqual(try stack.history().count, 1, "the undo is kept")
        try stack.reopen()
        undo = try begin()
        try expect(!undo.canUndo && !undo.canRedo, "it ends the stacks")
        undo.undo()
        try expectEqual(try stack.context.names("Person"), ["Ada"], "nothing comes back")
        try stack.save("Cleo")
        undo.undo()
        try expectEqual(try stack.context.names("Person"), ["Ada"], "it goes on")
        undo.redo()
        try expectEqual(try stack.context.names("Person"), ["Ada", "Cleo"])
      },
    ]

  /// Makes and saves a list with the entries a, b and c.
  private static func savedOrder(
    _ stack: ConformanceStack
  ) throws -> (list: ManagedObject, entries: [ManagedObject]) {
    let list = try stack.make("List", "Food")
    let entries = try ["a", "b", "c"].map { try stack.make("Entry", $0) }
    try list.set("entries", entries)
    try stack.context.save()
    return (list, entries)
  }
}
