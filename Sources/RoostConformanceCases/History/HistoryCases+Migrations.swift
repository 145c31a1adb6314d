// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension HistoryCases {
  /// Two versions: a person's name and the entity of plans are renamed, notes and desks are removed.
  private static func version(_ isNew: Bool) -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Person", [.string("name"), .string("note"), .of("badge", .uuid)])
    sketch.add("Plan", [.string("title")])
    if !isNew { sketch.add("Desk", [.string("name")]) }
    for name in ["name", "note", "badge"] {
      sketch["Person"].attribute(name).preservesValueInHistoryOnDeletion = true
    }
    if isNew {
      sketch["Person"].rename("name", to: "fullName")
      sketch["Person"].drop("note")
      sketch["Plan"].name = "Project"
      sketch["Plan"].renamingIdentifier = "Plan"
    }
    return sketch.make()
  }

  static let migrations: [ConformanceCase] = [
    ConformanceCase(
      .history, "migrated",
      "an inferred migration keeps the history and the tokens (H19, B288, M56)",
      needs: [.history, .reopening, .evolution]
    ) { stage in
      let stack = try stage.openTracking(version(false))
      let ada = try stack.context.make("Person", ["name": "Ada", "note": "first"])
      try stack.context.make("Plan", ["title": "Engine"])
      try stack.context.make("Desk", ["name": "Corner"])
      try stack.context.save()
      let token = try stack.token()
      try ada.set("name", "Ada L.")
      try ada.set("note", "second")
      try stack.context.save()
      stack.context.delete(ada)
      try stack.context.save()
      try stack.reopen(model: version(true))
      let later = try stack.history(after: token)
      try expectEqual(later.map { $0.changes?.count }, [1, 1])
      let update = try require(later.first?.changes?.first, "the update")
      try expectEqual(update.updatedProperties?.map(\.name), ["fullName"])
      let deletion = try require(later.last?.changes?.first, "the deletion")
      try expectEqual(deletion.tombstone, ["fullName": .string("Ada L.")])
      let first = try require(try stack.history().first?.changes, "the first changes")
      try expectEqual(first.map { $0.changedObjectID.entity.name }, ["Person", "Project"])
      try stack.context.make("Project", ["title": "Notes"])
      try stack.context.save()
      try expectEqual(try stack.history(after: later[1].token).count, 1, "it goes on")
    },
    ConformanceCase(
      .history, "values.migrated",
      "previous values and the past go with an inferred migration (H7, H19, L20, L22)",
      needs: [.history, .reopening, .evolution]
    ) { stage in
      let stack = try stage.openKeepingValues(version(false))
      let ada = try stack.context.make("Person", ["name": "Ada", "note": "first"])
      let plan = try stack.context.make("Plan", ["title": "Engine"])
      try stack.context.save()
      let token = try stack.token()
      let uri = plan.objectID.uriRepresentation()
      try ada.set("name", "Ada L.")
      try ada.set("note", "second")
      stack.context.delete(plan)
      try stack.context.save()
      try stack.reopen(model: version(true))
      let later = try require(try stack.history(after: token).first, "the transaction")
      let values = try require(later.changes?.compactMap(\.previousValues), "the values")
      try expectEqual(values.map { $0["fullName"] ?? .null }, [.string("Ada"), .null])
      try expectEqual(values.map { $0["title"] ?? .null }, [.null, .string("Engine")])
      try expect(values.allSatisfy { $0["note"] == nil }, "what was removed is gone")
      let past = try stack.past(token)
      let people = FetchRequest<ManagedObject>(entityName: "Person")
      try expectEqual(try past.fetch(people).map { try $0.text("fullName") }, ["Ada"])
      let projects = FetchRequest<ManagedObject>(entityName: "Project")
      try expectEqual(try past.fetch(projects).map { try $0.text("title") }, ["Engine"])
      try expectEqual(try stack.context.count(for: projects), 0)
      try expect(try stack.context.revert(later).isComplete, "all is taken back")
      try stack.context.save()
      try expectEqual(try stack.context.fetch(people).map { try $0.text("fullName") }, ["Ada"])
      let back = try require(try stack.context.fetch(projects).first, "the project")
      try expectEqual(try back.text("title"), "Engine")
      try expectEqual(
        stack.coordinator.managedObjectID(forURIRepresentation: uri), back.objectID)
    },
    ConformanceCase(
      .history, "mapped",
      "a migration by code begins the history anew: tokens of before are expired (H10, M56)",
      needs: [.history, .reopening, .evolution]
    ) { stage in
      let stack = try stage.openTracking(version(false))
      for name in ["Ada", "Bob", "Cleo"] {
        try stack.context.make("Person", ["name": name])
        try stack.context.save()
      }
      let token = try stack.token()
      stack.close()
      var store = stack.stores[0]
      store.migration = CustomMigration([
        EntityTransform("Person", toEntity: "Person", replacing: ["note"]) { _, _, _ in }
      ])
      let later = try stage.open(version(true), on: [store])
      try expectError(.persistentHistoryTokenExpired, "the request") {
        _ = try later.history(after: token)
      }
      let first = try later.token()
      try later.context.make("Project", ["title": "Notes"])
      try later.context.save()
      try expectEqual(try later.history(after: first).count, 1, "it goes on")
    },
    ConformanceCase(
      .history, "derived", "derived attributes of other records are updates (H4)", needs: [.history]
    ) { stage in
      let stack = try stage.openTracking(DerivedModel.make())
      let (owner, members) = try DerivedModel.fill(stack.context)
      let token = try stack.token()
      stack.context.delete(members[0])
      try stack.context.save()
      let changes = try require(try stack.history(after: token).last?.changes, "the changes")
      let update = try require(
        changes.first { $0.changedObjectID == owner.objectID }, "the update of the owner")
      try expect(
        update.updatedProperties?.contains { $0.name == DerivedModel.count } == true,
        "the count is named")
    },
  ]
}

/// A group that counts its members.
private enum DerivedModel {
  static let count = "memberCount"

  static func make() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Group", [.string("name")])
    sketch.add("Member", [.string("name")])
    sketch.relate(.init("Member", "group", .one), .init("Group", "members", .many))
    sketch["Group"].properties.append(
      AttributeDescription.derived(count, .integer64, "members.@count"))
    return sketch.make()
  }

  static func fill(
    _ context: ManagedObjectContext
  ) throws -> (owner: ManagedObject, members: [ManagedObject]) {
    let owner = try context.make("Group", ["name": "all"])
    let members = try (0..<3).map { try context.make("Member", ["name": "m\($0)"]) }
    for member in members { try member.set("group", owner) }
    try context.save()
    return (owner, members)
  }
}
