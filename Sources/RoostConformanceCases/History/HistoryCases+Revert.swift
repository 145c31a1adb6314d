// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension HistoryCases {
  static let reverts: [ConformanceCase] = [
    valued("revert.update", "what a transaction changed has its values from before (L20)") {
      stack in
      let (sales, lab) = (
        try stack.make("Department", "Sales"), try stack.make("Department", "Lab")
      )
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 36, "note": "old"])
      try ada.set("department", sales)
      try stack.context.save()
      let before = try stack.facts()
      try ada.set("age", 37)
      try ada.set("note", nil)
      try ada.set("department", lab)
      try stack.context.save()
      let after = try stack.facts()
      try stack.revertLast()
      try expect(stack.context.hasChanges, "nothing is saved by itself")
      try stack.context.save()
      try expectEqual(try stack.facts(), before)
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.facts(), after, "the revert of the revert")
    },
    valued("revert.insert", "what a transaction inserted is removed, and comes back (L20)") {
      stack in
      let sales = try stack.make("Department", "Sales")
      try stack.context.save()
      let before = try stack.facts()
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try ada.set("department", sales)
      let project = try stack.make("Project", "Engine")
      try ada.add(project, to: "projects")
      try stack.context.save()
      let id = ada.objectID
      let after = try stack.facts()
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.facts(), before)
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.facts(), after)
      try expectEqual(try stack.context.named("Person", "Ada").objectID, id, "the same object ID")
    },
    valued("revert.delete", "what a transaction removed comes back with its links (L20)") { stack in
      let sales = try stack.make("Department", "Sales")
      let (ada, bob) = (try stack.make("Person", "Ada"), try stack.make("Person", "Bob"))
      let desk = try stack.make("Desk", "Corner")
      let engine = try stack.make("Project", "Engine")
      try ada.set("department", sales)
      try ada.set("desk", desk)
      try bob.set("manager", ada)
      try ada.add(engine, to: "projects")
      try ada.add(bob, to: "friends")
      try ada.set("badge", UUID())
      let shop = try stack.make("Shop", "Market")
      let entry = try stack.make("Entry", "bread")
      try shop.add(entry, to: "sold")
      try stack.context.save()
      let before = try stack.facts()
      let id = ada.objectID
      for object in [ada, entry] { stack.context.delete(object) }
      try stack.context.save()
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.facts(), before)
      try stack.readAnew()
      try expectEqual(try stack.facts(), before, "read anew")
      try expectEqual(try stack.context.named("Person", "Ada").objectID, id, "the same object ID")
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.context.names("Person"), ["Bob"], "the revert of the revert")
    },
    valued("revert.cascade", "what went by a delete rule comes back in its order (L20)") { stack in
      let list = try stack.make("List", "Food")
      let entries = try ["milk", "bread", "eggs"].map { try stack.make("Entry", $0) }
      try list.set("entries", entries)
      try list.set("favourites", [entries[2], entries[0]])
      try stack.context.save()
      let before = try stack.facts()
      stack.context.delete(list)
      try stack.context.save()
      try expectEqual(try stack.context.names("Entry"), [], "all are gone")
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.facts(), before)
      let again = try stack.context.named("List", "Food")
      try expectEqual(try again.names("entries"), ["milk", "bread", "eggs"])
      try expectEqual(try again.names("favourites"), ["eggs", "milk"])
    },
    valued("revert.order", "orders of both kinds of relationships come back (L20)") { stack in
      let list = try stack.make("List", "Food")
      let entries = try ["a", "b", "c", "d"].map { try stack.make("Entry", $0) }
      try list.set("entries", entries)
      try list.set("favourites", entries)
      try stack.context.save()
      let before = try stack.facts()
      try list.set("entries", [entries[3], entries[0], entries[2]])
      try list.set("favourites", [entries[2], entries[1], entries[0]])
      try stack.context.save()
      let after = try stack.facts()
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.facts(), before)
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.facts(), after)
    },
    valued("revert.conflict", "what was changed since is reported and left alone (L20)") { stack in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1, "note": "one"])
      try stack.context.save()
      try ada.set("age", 2)
      try ada.set("note", "two")
      try stack.context.save()
      let transaction = try require(try stack.history().last, "the transaction")
      // Another context, so that the first one does not know.
      let other = stack.makeContext()
      try other.existingObject(with: ada.objectID).set("age", 3)
      try other.save()
      var report = try stack.context.revert(transaction)
      try expectEqual(
        report.conflicts.map { "\($0.objectID == ada.objectID) \($0.property ?? "")" },
        ["true age"])
      try expectEqual(try ada.number("age"), 3)
      try expectEqual(try ada.text("note"), "one")
      try stack.context.save()
      report = try stack.context.revert(transaction, force: true)
      try expect(report.conflicts.isEmpty, "nothing is left alone")
      try expectEqual(try ada.number("age"), 1)
      try stack.context.save()
      // A value that was changed, and changed back to the transaction's, is no conflict.
      try ada.set("age", 2)
      try ada.set("note", "two")
      try stack.context.save()
      report = try stack.context.revert(transaction)
      try expect(report.isComplete, "it is as it was left")
    },
    valued("revert.conflict-unsaved", "unsaved changes are left alone (L20)") { stack in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1, "note": "one"])
      try stack.context.save()
      try ada.set("age", 2)
      try ada.set("note", "two")
      try stack.context.save()
      let transaction = try require(try stack.history().last, "the transaction")
      try ada.set("note", "mine")
      let report = try stack.context.revert(transaction)
      try expectEqual(report.conflicts.map(\.property), ["note"])
      try expectEqual(try ada.text("note"), "mine")
      try expectEqual(try ada.number("age"), 1)
    },
    valued("revert.conflict-insert", "a new record that was changed or used since stays (L20)") {
      stack in
      let sales = try stack.make("Department", "Sales")
      let ada = try stack.make("Person", "Ada")
      try stack.context.save()
      let transaction = try require(try stack.history().last, "the transaction")
      try ada.set("age", 1)
      try stack.save("Bob")
      try stack.context.named("Person", "Bob").set("department", sales)
      try stack.context.save()
      var report = try stack.context.revert(transaction)
      try expectEqual(Set(report.conflicts.compactMap(\.property)), ["age", "people"])
      try expect(!stack.context.hasChanges, "nothing is done")
      report = try stack.context.revert(transaction, force: true)
      try stack.context.save()
      try expectEqual(try stack.context.names("Person"), ["Bob"])
      try expectEqual(try stack.context.names("Department"), [])
      // A deleted record cannot be deleted again, nor changed.
      try expect(try stack.context.revert(transaction).changedObjectIDs.isEmpty, "nothing to do")
    },
    valued("revert.missing", "relationships to what is gone are reported (L20)") { stack in
      let sales = try stack.make("Department", "Sales")
      let ada = try stack.make("Person", "Ada")
      let engine = try stack.make("Project", "Engine")
      try ada.set("department", sales)
      try ada.add(engine, to: "projects")
      try stack.context.save()
      stack.context.delete(ada)
      try stack.context.save()
      let transaction = try require(try stack.history().last, "the transaction")
      for object in [sales, engine] { stack.context.delete(object) }
      try stack.context.save()
      let report = try stack.context.revert(transaction)
      try expectEqual(Set(report.missing.compactMap(\.property)), ["department", "projects"])
      try stack.context.save()
      let again = try stack.context.named("Person", "Ada")
      try expect(try again.one("department") == nil, "no department")
      try expectEqual(try again.names("projects"), [])
      // The record exists again, and is not restored twice.
      let second = try stack.context.revert(transaction)
      try expectEqual(second.conflicts.map(\.objectID), [again.objectID])
      try expect(!stack.context.hasChanges, "nothing is done")
    },
    valued("revert.taken", "a place that another record has now stays taken (L20)") { stack in
      let (ada, bob) = (try stack.make("Person", "Ada"), try stack.make("Person", "Bob"))
      let desk = try stack.make("Desk", "Corner")
      try ada.set("desk", desk)
      try stack.context.save()
      try ada.set("desk", nil)
      try stack.context.save()
      let transaction = try require(try stack.history().last, "the transaction")
      try bob.set("desk", desk)
      try stack.context.save()
      let report = try stack.context.revert(transaction)
      try expect(!report.conflicts.isEmpty, "a conflict")
      try expect(!stack.context.hasChanges, "nothing is done")
      try expectEqual(try desk.one("owner"), bob)
    },
    valued("revert.batch", "batch requests and upserts can be taken back (L20, H18)") { stack in
      try stack.context.execute(
        BatchInsertRequest(
          entityName: "Badge",
          objects: [["name": "A", "level": 1], ["name": "B", "level": 2]]))
      let before = try stack.facts()
      let update = BatchUpdateRequest(entityName: "Badge")
      update.propertiesToUpdate = ["level": 9]
      try stack.context.execute(update)
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.facts(), before)
      try stack.context.execute(
        BatchDeleteRequest(fetchRequest: FetchRequest<ObjectID>(entityName: "Badge")))
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.facts(), before)
      try stack.context.execute(
        BatchInsertRequest(entityName: "Badge", objects: [["name": "A", "level": 5]]))
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.facts(), before)
    },
    valued("revert.numbers", "a transaction says which ones it takes back (L20, L21)") { stack in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.context.save()
      try ada.set("age", 2)
      try stack.context.save()
      let transaction = try require(try stack.history().last, "the transaction")
      try stack.context.revert(transaction)
      try stack.context.save()
      let numbers = [transaction.transactionNumber]
      try expectEqual(try stack.history().map(\.revertedTransactionNumbers), [[], [], numbers])
      // A revert that was rolled back or undone does not count as a revert.
      let last = try require(try stack.history().last, "the revert")
      try stack.context.revert(last)
      stack.context.rollback()
      try stack.save("Bob")
      stack.context.undoManager = ChangeUndoManager()
      try stack.context.revert(last)
      stack.context.undo()
      try stack.save("Cleo")
      try expectEqual(
        try stack.history().map(\.revertedTransactionNumbers), [[], [], numbers, [], []])
    },
    valued("revert.undo", "a revert can be undone before it is saved (L20)") { stack in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.context.save()
      stack.context.delete(ada)
      try stack.context.save()
      stack.context.undoManager = ChangeUndoManager()
      try stack.revertLast()
      try expectEqual(try stack.context.names("Person"), ["Ada"])
      stack.context.undo()
      try expectEqual(try stack.context.names("Person"), [])
      try expect(!stack.context.hasChanges, "nothing is left")
    },
    valued("revert.refused", "what cannot be reverted is refused, and changes nothing (L20)") {
      stack in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.context.save()
      let request = PersistentHistoryChangeRequest.fetchHistory(
        after: nil as PersistentHistoryToken?)
      request.resultType = .transactionsOnly
      let bare = try require(
        try stack.context.execute(request).transactions?.first, "a transaction")
      try expectError(.invalidRequest, "without changes") { _ = try stack.context.revert(bare) }
      let whole = try require(try stack.history().first, "the transaction")
      let child = ManagedObjectContext(.mainQueue, parent: stack.context)
      try expectError(.invalidRequest, "in a child") { _ = try child.revert(whole) }
      try ada.set("age", 2)
      try stack.context.save()
      try ada.set("age", 3)
      try stack.context.save()
      _ = try stack.deleteHistory(before: try stack.token())
      try expectError(.persistentHistoryTokenExpired, "of what is not kept") {
        _ = try stack.context.revert(whole)
      }
      try expect(!stack.context.hasChanges, "nothing is changed")
    },
    ConformanceCase(
      .history, "revert.no-values", "without values an insertion alone can be reverted (L20, H7)",
      needs: [.history]
    ) { stage in
      let stack = try stage.openTracking(PastModel.make())
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.context.save()
      try stack.revertLast()
      try stack.context.save()
      try expectEqual(try stack.context.names("Person"), [])
      try expectError(.persistentStoreUnsupportedRequestType, "a deletion") {
        try stack.revertLast()
      }
      _ = ada
    },
  ]
}

extension ConformanceStack {
  /// Inserts an object with a name.
  func make(_ entityName: String, _ name: String) throws -> ManagedObject {
    try context.make(entityName, ["name": name])
  }

  /// Reverts the last transaction, without conflicts.
  func revertLast() throws {
    let last = try require(try history().last, "the last transaction")
    let report = try context.revert(last)
    try expect(report.isComplete, "what was left alone: \(report.conflicts), \(report.missing)")
  }

  /// All that the store holds, as lines.
  func facts() throws -> [String] { try StoreFacts.lines(of: makeContext()) }
}
