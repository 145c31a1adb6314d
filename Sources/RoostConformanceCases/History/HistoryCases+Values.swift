// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension HistoryCases {
  /// A case on an empty store of people whose history keeps previous values.
  static func valued(
    _ name: String, _ title: String, needs: Set<ConformanceFacet> = [],
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.history, name, title, needs: needs.union([.history])) { stage in
      try body(try stage.openKeepingValues(PastModel.make()))
    }
  }

  static let values: [ConformanceCase] = [
    valued("values.update", "an update keeps the values from before it, and no others (H7)") {
      stack in
      let sales = try stack.context.make("Department", ["name": "Sales"])
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 36, "note": "kept"])
      try ada.set("department", sales)
      try stack.context.save()
      try ada.set("age", 37)
      try ada.set("salary", 2.5)
      try ada.set("department", nil)
      try stack.context.save()
      let transactions = try stack.history()
      try expect(
        transactions[0].changes?.allSatisfy { $0.previousValues == nil } ?? false,
        "nothing was there before an insertion")
      try expectEqual(
        try stack.previousValues(of: ada, in: transactions[1]),
        ["age": .integer(36), "salary": .null, "department": .objectID(sales.objectID)])
      try expectEqual(
        try stack.previousValues(of: sales, in: transactions[1]), [:],
        "of the other end, whose row stayed as it was")
    },
    valued("values.stale", "what is kept is what was stored, not what the context knew (H7)") {
      stack in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.context.save()
      let batch = BatchUpdateRequest(entityName: "Person")
      batch.propertiesToUpdate = ["age": 2]
      try stack.context.execute(batch)
      stack.context.mergePolicy = .mergeByPropertyObjectTrump
      try ada.set("age", 3)
      try ada.set("note", "new")
      try stack.context.save()
      let ages = try stack.history().map { try stack.previousValues(of: ada, in: $0)?["age"] }
      try expectEqual(ages, [nil, .integer(1), .integer(2)])
    },
    valued("values.delete", "a deletion keeps the whole record (H7)") { stack in
      let badge = UUID()
      let sales = try stack.context.make("Department", ["name": "Sales"])
      let ada = try stack.context.make("Person", ["name": "Ada", "badge": badge])
      try ada.set("department", sales)
      try stack.context.save()
      let id = ada.objectID
      stack.context.delete(ada)
      try stack.context.save()
      let change = try require(
        try stack.history()[1].changes?.first { $0.changedObjectID == id }, "the deletion")
      let found = try require(change.previousValues, "the record")
      try expectEqual(found["name"], .string("Ada"))
      try expectEqual(found["badge"], .uuid(badge))
      try expectEqual(found["age"], .null)
      try expectEqual(found["department"], .objectID(sales.objectID))
      try expectEqual(change.tombstone, nil, "what the model keeps for all is another matter")
    },
    valued("values.batches", "batch requests and upserts keep values, too (H7, H18)") { stack in
      let insert = BatchInsertRequest(
        entityName: "Badge",
        objects: [["name": "A", "level": 1], ["name": "B", "level": 2]])
      try stack.context.execute(insert)
      try stack.context.execute(
        BatchInsertRequest(entityName: "Badge", objects: [["name": "A", "level": 7]]))
      let update = BatchUpdateRequest(entityName: "Badge")
      update.propertiesToUpdate = ["level": 9]
      try stack.context.execute(update)
      let request = FetchRequest<ObjectID>(entityName: "Badge")
      try stack.context.execute(BatchDeleteRequest(fetchRequest: request))
      let levels = try stack.history().map { transaction in
        (transaction.changes ?? []).compactMap { $0.previousValues?["level"] }
          .sorted { "\($0)" < "\($1)" }
      }
      try expectEqual(
        levels,
        [[], [.integer(1)], [.integer(2), .integer(7)], [.integer(9), .integer(9)]])
    },
    valued("values.derived", "derived values from before are kept (H4, H7)") { stack in
      let team = try stack.context.make("Team", ["name": "Blue"])
      let first = try stack.context.make("Player", ["name": "1"])
      try first.set("team", team)
      try stack.context.save()
      let second = try stack.context.make("Player", ["name": "2"])
      try second.set("team", team)
      try stack.context.save()
      try expectEqual(
        try stack.previousValues(of: team, in: stack.history()[1])?["size"], .integer(1))
    },
    valued("values.together", "of links that several change at once, each finds what was left (H7)")
    {
      stack in
      let ada = try stack.make("Person", "Ada")
      let project = try stack.make("Project", "Engine")
      try stack.context.save()
      let (adaID, projectID) = (ada.objectID, project.objectID)
      let coordinator = stack.coordinator
      try Threads.run(4) { _ in
        for _ in 0..<10 {
          let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
          let (mine, shared) = (context.object(with: adaID), context.object(with: projectID))
          let has = try mine.many("projects").contains(shared)
          context.transactionAuthor = has ? "absent" : "there"
          try has ? mine.remove(shared, from: "projects") : mine.add(shared, to: "projects")
          try context.save()
        }
      }
      var left = "absent"
      for transaction in try stack.history().dropFirst() {
        let links = transaction.previousLinks ?? []
        try expectEqual(links.map { $0.state.isThere ? "there" : "absent" }, [left])
        left = transaction.author ?? ""
      }
    },
    valued("values.composite", "a composite is kept whole when an element changes (H7)") { stack in
      let shop = try stack.context.make("Shop", ["name": "Corner"])
      try shop.set("address.street", "High")
      try shop.set("address.number", 1)
      try stack.context.save()
      try shop.set("address.number", 2)
      try stack.context.save()
      try expectEqual(
        try stack.previousValues(of: shop, in: stack.history()[1]),
        ["address": .composite(["street": .string("High"), "number": .integer(1)])])
    },
    valued(
      "values.reopened", "the level goes on after the store was closed (H7, H16)",
      needs: [.reopening]
    ) { stack in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.context.save()
      let uri = ada.objectID.uriRepresentation()
      try stack.reopen()
      let id = try require(
        stack.coordinator.managedObjectID(forURIRepresentation: uri), "the ID")
      let again = try stack.context.existingObject(with: id)
      try again.set("age", 2)
      try stack.context.save()
      try expectEqual(
        try stack.previousValues(of: again, in: stack.history()[1]), ["age": .integer(1)])
    },
    ConformanceCase(
      .history, "values.without-option",
      "a store that keeps values goes on when it is opened without the level (H7, H16)",
      needs: [.history, .reopening]
    ) { stage in
      var store = try stage.makeStore()
      let plain = store
      try store.setOption(.string("values"), forKey: StoreOption.historyLevel)
      let valued = try stage.open(PastModel.make(), on: [store])
      try valued.save("Ada")
      valued.close()
      for option in [nil, "changes"] {
        var other = plain
        try other.setOption(option.map { .string($0) }, forKey: StoreOption.historyLevel)
        let stack = try stage.open(PastModel.make(), on: [other])
        let ada = try stack.context.named("Person", "Ada")
        try ada.set("note", option)
        try ada.set("age", (try ada.number("age") ?? 0) + 1)
        try stack.context.save()
        let last = try require(try stack.history().last, "the last transaction")
        try expect(
          try stack.previousValues(of: ada, in: last)?["age"] != nil, "the age from before")
        stack.close()
      }
    },
    ConformanceCase(
      .history, "values.begun-later",
      "a history that begins to keep values does so for all, and stays readable (H7)",
      needs: [.history, .reopening, .secondHandle, .equalModels]
    ) { stage in
      var store = try stage.makeStore()
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      let first = try stage.open(PastModel.make(), on: [store])
      try first.save("Ada")
      try first.context.named("Person", "Ada").set("age", 1)
      try first.context.save()
      try store.setOption(.string("values"), forKey: StoreOption.historyLevel)
      let second = try stage.open(PastModel.make(), on: [store])
      let ada = try second.context.named("Person", "Ada")
      try ada.set("age", 2)
      try second.context.save()
      let found = try second.history().map { try second.previousValues(of: ada, in: $0) }
      try expectEqual(found, [nil, nil, ["age": .integer(1)]], "old transactions have none")
      try first.expectRefused("Cleo", "a save without values was taken")
      try first.reopen()
      try first.save("Dan")
      try expectEqual(try second.history().count, 4)
    },
    ConformanceCase(
      .history, "values.off", "the level changes keeps no values (H7)", needs: [.history]
    ) { stage in
      let stack = try stage.openTracking(PastModel.make())
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 1])
      try stack.context.save()
      try ada.set("age", 2)
      try stack.context.save()
      stack.context.delete(ada)
      try stack.context.save()
      try expect(
        try stack.history().flatMap { $0.changes ?? [] }.allSatisfy { $0.previousValues == nil },
        "no values")
    },
    ConformanceCase(.history, "values.option", "a level that there is not is refused (H7)") {
      stage in
      var store = try stage.makeStore()
      for value in [MetadataValue.boolean(true), .string("all"), .integer(1)] {
        try expectError(.invalidValue, "the option") {
          try store.setOption(value, forKey: StoreOption.historyLevel)
        }
        var other = store
        other.options[StoreOption.historyLevel] = value
        try expectError(.invalidValue, "the store") {
          _ = try stage.open(PastModel.make(), on: [other])
        }
      }
    },
  ]
}

extension ConformanceStack {
  /// Returns the values of an object before a transaction, from the history; nil when it has none.
  func previousValues(
    of object: ManagedObject, in transaction: PersistentHistoryTransaction
  ) throws -> [String: Value]? {
    transaction.changes?.first { $0.changedObjectID == object.objectID }?.previousValues
  }
}
