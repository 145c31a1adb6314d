// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// The persistent history of a store.
enum HistoryCases {
  static let all: [ConformanceCase] =
    contents + tokens + deletions + writers + migrations + values + reverts + pasts + undoes
    + undoGroups + hints + following + consumers + retention + requests + fetching + saves + lost
    + damage
    + beginnings + reborn + reading + revertCorners + renamings + batches + severalStores
    + keptLimits

  /// A case on an empty store of people that keeps a history.
  static func company(
    _ name: String, _ title: String, needs: Set<ConformanceFacet> = [],
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.history, name, title, needs: needs.union([.history])) { stage in
      try body(try stage.openTracking(model()))
    }
  }

  /// People whose name and badge are preserved in the tombstone.
  static func model() -> ManagedObjectModel {
    let model = CompanyModel.make()
    for property in model.entitiesByName["Person"]?.properties ?? [] {
      guard let attribute = property as? AttributeDescription else { continue }
      attribute.preservesValueInHistoryOnDeletion = ["badge", "name"].contains(attribute.name)
    }
    return model
  }

  private static let contents: [ConformanceCase] = [
    company(
      "insert-update-delete", "each save is one transaction with a change a record (H1, H3, B283)"
    ) { stack in
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 36])
      let bob = try stack.context.make("Person", ["name": "Bob"])
      try stack.context.save()
      try ada.set("age", 37)
      try ada.set("note", "older")
      try stack.context.save()
      let bobID = bob.objectID
      stack.context.delete(bob)
      try stack.context.save()
      try stack.expectHistory(
        [
          "insert Person Ada; insert Person Bob", "update Person Ada age note", "delete Person Bob",
        ], names: [ada.objectID: "Ada", bobID: "Bob"])
    },
    company("nothing", "a save that changes nothing adds no transaction (H1)") { stack in
      let ada = try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      try stack.context.save()
      try ada.set("name", "Ada")
      try stack.context.save()
      try expectEqual(try stack.history().count, 1, "the transactions")
    },
    ConformanceCase(.history, "off", "a store that was not asked to keeps no history (H1)") {
      stage in
      let stack = try stage.open(CompanyModel.make())
      try stack.save("Ada")
      try expectEqual(try stack.history().count, 0, "the transactions")
      try expect(stack.coordinator.persistentStores.allSatisfy { $0.history == nil }, "the facet")
    },
    company(
      "relationships", "both ends of a changed relationship are updates that name it (H2, B80)"
    ) { stack in
      let sales = try stack.context.make("Department", ["name": "Sales"])
      let ada = try stack.context.make("Person", ["name": "Ada"])
      let engine = try stack.context.make("Project", ["name": "Engine"])
      try stack.context.save()
      try ada.set("department", sales)
      try stack.context.save()
      try ada.add(engine, to: "projects")
      try stack.context.save()
      try ada.remove(engine, from: "projects")
      try sales.remove(ada, from: "people")
      try stack.context.save()
      let names = [sales.objectID: "Sales", ada.objectID: "Ada", engine.objectID: "Engine"]
      try stack.expectHistory(
        [
          "insert Department Sales; insert Person Ada; insert Project Engine",
          "update Department Sales people; update Person Ada department",
          "update Person Ada projects; update Project Engine members",
          "update Department Sales people; update Person Ada department projects; "
            + "update Project Engine members",
        ], names: names)
    },
    company("tombstone", "a deletion keeps the attributes that are preserved (H6, B284)") { stack in
      let badge = UUID()
      let ada = try stack.context.make("Person", ["name": "Ada", "age": 36, "badge": badge])
      let desk = try stack.context.make("Desk", ["name": "Corner"])
      try stack.context.save()
      // An object that is not in memory is read before it is deleted.
      try stack.readAnew()
      for id in [ada.objectID, desk.objectID] {
        let uri = id.uriRepresentation()
        let known = try require(
          stack.coordinator.managedObjectID(forURIRepresentation: uri), "the ID")
        stack.context.delete(try stack.context.existingObject(with: known))
      }
      try stack.context.save()
      let changes = try require(try stack.history().last?.changes, "the changes")
      let tombstones = Dictionary(
        uniqueKeysWithValues: changes.map { ($0.changedObjectID.entity.name ?? "", $0.tombstone) })
      try expectEqual(
        tombstones["Person"] ?? nil, ["name": .string("Ada"), "badge": .uuid(badge)])
      try expectEqual(tombstones["Desk"] ?? nil, nil)
    },
    company("who", "a transaction says who saved, and with which program (H5, B290)") { stack in
      stack.context.name = "night"
      stack.context.transactionAuthor = "import"
      try stack.context.make("Person", ["name": "Ada"])
      try stack.context.save()
      stack.context.transactionAuthor = nil
      stack.context.name = nil
      try stack.context.make("Person", ["name": "Bob"])
      try stack.context.save()
      let transactions = try stack.history()
      try expectEqual(transactions.map(\.author), ["import", nil])
      try expectEqual(transactions.map(\.contextName), ["night", nil])
      try expect(
        transactions.allSatisfy { $0.processID.hasPrefix($0.bundleID + "-") },
        "the process has the name of the program")
      try expect(
        transactions.allSatisfy { abs($0.timestamp.timeIntervalSinceNow) < 600 }, "the time")
    },
    company("batches", "batch requests are listed with their records (H18, B280)") { stack in
      let insert = BatchInsertRequest(
        entityName: "Person", objects: [["name": "Ada"], ["name": "Bob"]])
      try stack.context.execute(insert)
      let update = BatchUpdateRequest(entityName: "Person")
      update.propertiesToUpdate = ["age": 1]
      try stack.context.execute(update)
      let request = FetchRequest<ObjectID>(entityName: "Person")
      try stack.context.execute(BatchDeleteRequest(fetchRequest: request))
      let kinds = try stack.history().map { transaction in
        (transaction.changes ?? []).map { change in
          "\(change.changeType) \((change.updatedProperties ?? []).map(\.name))"
        }
      }
      try expectEqual(
        kinds,
        [
          ["insert []", "insert []"], ["update [\"age\"]", "update [\"age\"]"],
          ["delete []", "delete []"],
        ])
    },
    company("many", "a transaction of many records lists each of them once (H3)") { stack in
      for number in 0..<2_500 { try stack.context.make("Desk", ["name": "desk \(number)"]) }
      for number in 0..<10 { try stack.context.make("Project", ["name": "project \(number)"]) }
      try stack.context.save()
      let desks = FetchRequest<ManagedObject>(entityName: "Desk")
      desks.sortDescriptors = [SortOrdering("name")]
      for (index, desk) in try stack.context.fetch(desks).enumerated() where index % 3 == 0 {
        try desk.set("name", "changed \(index)")
      }
      try stack.context.save()
      let transactions = try stack.history()
      try expectEqual(transactions.map { $0.changes?.count }, [2_510, 834])
      for transaction in transactions {
        let changes = transaction.changes ?? []
        try expectEqual(Set(changes.map(\.changedObjectID)).count, changes.count, "each once")
        try expectEqual(
          changes.map(\.changeID), changes.map(\.changeID).sorted(), "the numbers of changes")
      }
    },
  ]
}
