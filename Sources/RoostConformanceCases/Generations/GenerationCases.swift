// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

/// Contexts that read one snapshot. On a store that cannot show one they read the newest state (B297).
enum GenerationCases {
  static let all: [ConformanceCase] = reading + moving + batches + sharing

  /// A case with a company, a context that reads one snapshot, and another one.
  private static func pinned(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (Scene) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.generations, name, title + " (B297)") { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      try stack.context.setQueryGenerationFrom(.current)
      let isPinned = stack.coordinator.persistentStores.allSatisfy { $0.snapshots != nil }
      try body(
        Scene(
          stack: stack, context: stack.context, other: stack.makeContext(), isPinned: isPinned))
    }
  }

  private struct Scene {
    let stack: ConformanceStack
    let context: ManagedObjectContext
    let other: ManagedObjectContext
    /// Whether the store shows snapshots.
    let isPinned: Bool

    /// Changes the company in another context.
    func change() throws {
      try other.named("Person", "Ada").set("age", 99)
      other.delete(try other.named("Person", "Eve"))
      try other.make(
        "Person", ["name": "Zoe", "department": try other.named("Department", "Void")])
      try other.save()
    }

    /// Expects the first value where the store has snapshots, otherwise the second.
    func expect<T: Equatable>(
      _ found: T, old: T, new: T, _ what: String, line: UInt = #line
    ) throws {
      try expectEqual(found, isPinned ? old : new, what, line: line)
    }
  }

  private static let before = ["Ada", "Bob", "Cleo", "Dan", "Eve"]
  private static let after = ["Ada", "Bob", "Cleo", "Dan", "Zoe"]

  private static let reading: [ConformanceCase] = [
    pinned("fetches", "all fetches read one snapshot (B292)") { scene in
      _ = try scene.context.names("Department")
      try scene.change()
      try scene.expect(
        try scene.context.names("Person"), old: before, new: after, "the people")
      try scene.expect(
        try scene.context.count(for: scene.context.request("Person", "age == 99", [])), old: 0,
        new: 1, "the count")
      let ids = FetchRequest<ObjectID>(entityName: "Person")
      ids.predicate = try FetchPredicate("department.name == 'Void'")
      try scene.expect(try scene.context.fetch(ids).count, old: 0, new: 1, "the IDs")
      let columns = FetchRequest<[String: Any]>(entityName: "Person")
      columns.predicate = try FetchPredicate("name == 'Ada'")
      try scene.expect(
        try scene.context.fetch(columns).first.flatMap { whole($0["age"]) }, old: 36, new: 99,
        "the columns")
      try expectEqual(try scene.stack.makeContext().names("Person"), after, "another context")
    },
    pinned(
      "faults", "faults and relationships read the same snapshot, also of what is gone (B292, B295)"
    ) {
      scene in
      let people = try scene.context.all("Person")
      let ids = people.map(\.objectID)
      for person in people { try scene.context.refresh(person, mergeChanges: false) }
      let void = try scene.context.named("Department", "Void")
      try scene.change()
      let ada = scene.context.object(with: ids[0])
      let eve = scene.context.object(with: ids[4])
      try scene.expect(try ada.number("age"), old: 36, new: 99, "the age")
      try scene.expect(try eve.text("name"), old: "Eve", new: nil, "what is gone (B295)")
      try scene.expect(try void.names("people"), old: [], new: ["Zoe"], "the relationship")
      try expectEqual(
        try scene.stack.storedNumber("age", ofPerson: "Ada"), 99, "another context")
    },
    pinned("lazily", "the snapshot is that of the next read (B293)") { scene in
      try scene.change()
      try expect(scene.context.queryGenerationToken == nil, "there is no snapshot before a read")
      try expectEqual(try scene.context.names("Person"), after)
      try expect(scene.context.queryGenerationToken != nil, "there is one after it")
    },
    pinned("unpinned", "without a token the newest state is read (B292)") { scene in
      try scene.context.setQueryGenerationFrom(nil)
      _ = try scene.context.names("Person")
      try scene.change()
      try expectEqual(try scene.context.names("Person"), after)
    },
    pinned("cache", "old rows do not come among those of others (B51, B292)") { scene in
      _ = try scene.context.names("Department")
      try scene.change()
      let ids = try scene.context.all("Person").map(\.objectID)
      for object in try scene.context.all("Person") { _ = try object.get("age") }
      let fresh = scene.stack.makeContext()
      try expectEqual(try fresh.object(with: ids[0]).number("age"), 99, "a fault of another")
    },
  ]

  private static let moving: [ConformanceCase] = [
    pinned("save", "a save moves on, and leaves objects as they are (B294)") { scene in
      let ada = try scene.context.named("Person", "Ada")
      _ = try ada.get("age")
      try scene.change()
      try scene.context.named("Person", "Bob").set("age", 1)
      try scene.context.save()
      try expectEqual(try scene.context.names("Person"), after, "the people")
      try expectEqual(try ada.number("age"), 36, "an object that was read")
    },
    pinned("reset", "a reset moves on (B294)") { scene in
      _ = try scene.context.names("Person")
      try scene.change()
      scene.context.reset()
      try expectEqual(try scene.context.names("Person"), after)
    },
    pinned("merge", "a merge moves on (B294)") { scene in
      let ada = try scene.context.named("Person", "Ada")
      _ = try ada.get("age")
      try scene.change()
      var changes = ManagedObjectContext.ObjectIDChanges()
      changes.updatedObjectIDs = [ada.objectID]
      scene.context.mergeChanges(changes)
      try expectEqual(try ada.number("age"), 99, "the merged object")
      try expectEqual(try scene.context.names("Person"), after)
    },
    pinned("token", "setting the token again moves on (B294)") { scene in
      _ = try scene.context.names("Person")
      try scene.change()
      try scene.context.setQueryGenerationFrom(.current)
      try expectEqual(try scene.context.names("Person"), after)
    },
    pinned("conflict", "a save is checked against the newest state (B298)") { scene in
      let ada = try scene.context.named("Person", "Ada")
      try ada.set("note", "mine")
      try scene.change()
      _ = try scene.context.names("Person")
      try expectError(.managedObjectMerge) { try scene.context.save() }
      scene.context.mergePolicy = .mergeByPropertyObjectTrump
      try scene.context.save()
      let fresh = scene.stack.makeContext()
      let stored = try fresh.named("Person", "Ada")
      try expectEqual(try stored.number("age"), 99)
      try expectEqual(try stored.text("note"), "mine")
    },
  ]

  private static let batches: [ConformanceCase] = [
    pinned("batches", "a batch request leaves its context in the snapshot that it reads (B279)") {
      scene in
      try expectEqual(try scene.context.names("Person"), before)
      let token = scene.context.queryGenerationToken
      let update = BatchUpdateRequest(entityName: "Person")
      update.predicate = try FetchPredicate("name == 'Ada'")
      update.propertiesToUpdate = ["age": 99]
      try scene.context.execute(update)
      try scene.context.execute(
        BatchInsertRequest(entityName: "Person", objects: [["name": "Zoe"]]))
      let doomed = FetchRequest<ManagedObject>(entityName: "Person")
      doomed.predicate = try FetchPredicate("name == 'Eve'")
      try scene.context.execute(BatchDeleteRequest(fetchRequest: doomed))
      try expectEqual(scene.context.queryGenerationToken, token, "the snapshot")
      try scene.expect(try scene.context.names("Person"), old: before, new: after, "the people")
      try scene.expect(
        try scene.context.count(for: scene.context.request("Person", "age == 99", [])), old: 0,
        new: 1, "the updated")
      try expectEqual(try scene.stack.makeContext().names("Person"), after, "another context")
    }
  ]

  private static let sharing: [ConformanceCase] = [
    pinned("shared", "a token lets another context read the same snapshot (B292)") { scene in
      _ = try scene.context.names("Person")
      try scene.change()
      let third = scene.stack.makeContext()
      try third.setQueryGenerationFrom(scene.context.queryGenerationToken)
      try scene.expect(try third.names("Person"), old: before, new: after, "the people")
      try expectEqual(third.queryGenerationToken, scene.context.queryGenerationToken)
      scene.context.reset()
      try scene.expect(try third.names("Person"), old: before, new: after, "the people later")
    },
    pinned("later-store", "a store that was added later is not there (B296)") { scene in
      _ = try scene.context.names("Person")
      let reference = try StoreHarness.reference.makeEmptyStore()
      try scene.stack.coordinator.addPersistentStore(with: reference)
      let other = scene.stack.makeContext()
      let zoe = try other.make("Person", ["name": "Zoe"])
      try other.assign(zoe, to: scene.stack.coordinator.persistentStores[1])
      try other.save()
      try expectEqual(try scene.context.names("Person"), before, "the people")
      try expectEqual(try scene.stack.makeContext().names("Person"), before + ["Zoe"])
      try scene.stack.coordinator.remove(scene.stack.coordinator.persistentStores[1])
      try StoreHarness.reference.drop(reference)
    },
    pinned("removed-store", "a store that was removed is gone from every snapshot (B235)") {
      scene in
      let ada = try scene.context.named("Person", "Ada")
      for store in scene.stack.coordinator.persistentStores {
        try scene.stack.coordinator.remove(store)
      }
      try expectError(.noStore) { _ = try scene.context.names("Person") }
      try expect(ada.managedObjectContext == nil, "its objects have left")
    },
    pinned("many", "snapshots of many contexts do not stand in each other's way (B292)") { scene in
      var contexts: [ManagedObjectContext] = []
      for index in 0..<10 {
        let context = scene.stack.makeContext()
        try context.setQueryGenerationFrom(.current)
        try expectEqual(try context.names("Project").count, 3 + index)
        contexts.append(context)
        try scene.other.make("Project", ["name": "P\(index)"])
        try scene.other.save()
      }
      for (index, context) in contexts.enumerated() {
        try scene.expect(
          try context.names("Project").count, old: 3 + index, new: 13, "the projects")
      }
    },
  ]
}
