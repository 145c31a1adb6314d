// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// The order of a save: validation, IDs, conflicts, the commit, and the notifications.
extension SavingCases {
  static let order: [ConformanceCase] = [
    ConformanceCase(
      .saving, "order.validation-first",
      "what is invalid is told before IDs are obtained and conflicts are looked for (B161, B156)"
    ) { stage in
      let (stack, _) = try HookedModel.open(stage)
      let context = stack.context
      let parent = try context.make("Parent", ["name": "p"])
      try context.save()
      let other = stack.makeContext()
      try other.named("Parent", "p").set("stamp", 1)
      try other.save()
      try parent.set("stamp", 2)
      let child = try context.make("Child", ["name": "c"])
      try child.set("word", nil)
      let before = stack.coordinator.counters
      try expectError(.validationMissingMandatoryProperty, "the save") { try context.save() }
      let spent = stack.coordinator.counters - before
      try expectEqual(spent.commits, 0, "the commits")
      try expectEqual(spent.reservations, 0, "the reservations")
      try expect(child.objectID.isTemporaryID, "the ID is temporary")
      try child.set("word", "w")
      try expectError(.managedObjectMerge, "the save of what is valid") { try context.save() }
    },
    ConformanceCase(
      .saving, "order.ids-before-commit",
      "keys are obtained before the changes are handed over, in the order of the objects (B161, B172)"
    ) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      let context = stack.context
      faults.fail(.reserve)
      let people = try (0..<5).map { try context.make("Person", ["name": "\($0)"]) }
      let before = stack.coordinator.counters
      try expectError(.persistentStoreOperation, "a save without keys") { try context.save() }
      try expectEqual((stack.coordinator.counters - before).commits, 0, "the commits")
      try expect(people.allSatisfy(\.objectID.isTemporaryID), "the IDs are temporary (B171)")
      faults.clear()
      try context.save()
      let keys = people.map(\.objectID.key)
      try expectEqual(keys, keys.sorted(), "the keys in the order of the objects")
    },
    ConformanceCase(
      .saving, "order.committed-before-did-save",
      "when didSave is called all is written, the IDs are permanent and nothing is pending (B161, B166, B167)"
    ) { stage in
      let (stack, hooks) = try HookedModel.open(stage)
      let parent = try stack.context.make("Parent", ["name": "p", "stamp": 1])
      try stack.context.save()
      try parent.set("stamp", 2)
      let child = try stack.context.make("Child", ["name": "c", "parent": parent])
      stack.context.delete(try stack.context.make("Child", ["name": "never"]))
      _ = try hooks.take()
      let coordinator = stack.coordinator
      hooks.onCall = { hook, _ in
        guard hook == .didSave else { return }
        let fresh = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        fresh.stalenessInterval = 0
        try withExtendedLifetime(fresh) {
          try expectEqual(try fresh.named("Parent", "p").number("stamp"), 2, "what is stored")
          try expectEqual(try fresh.names("Child"), ["c"], "the new record")
        }
        try expect(!child.objectID.isTemporaryID, "the ID is permanent")
        try expect(!child.isInserted && !parent.isUpdated, "the objects are clean")
        try expect(!stack.context.hasChanges, "the context has no changes")
        try expectEqual(parent.changedValues().count, 0, "the changed values")
        try expectEqual(whole(try parent.committedValues(forKeys: ["stamp"])["stamp"]), 2)
      }
      try stack.context.save()
      try expectEqual(try hooks.take("didSave"), ["didSave c", "didSave p"], "who was told")
      hooks.onCall = { _, _ in }
    },
    ConformanceCase(
      .saving, "order.no-did-save-after-conflict",
      "conflicts are looked for after willSave and validation, and nothing is told when one is found (B161, B178)"
    ) { stage in
      let (stack, hooks) = try HookedModel.open(stage)
      let parent = try stack.context.make("Parent", ["name": "p"])
      try stack.context.save()
      let other = stack.makeContext()
      try other.named("Parent", "p").set("stamp", 1)
      try other.save()
      try parent.set("stamp", 2)
      _ = try hooks.take()
      try expectError(.managedObjectMerge, "the save") { try stack.context.save() }
      try expectEqual(try hooks.take(), ["willSave p", "validateForUpdate p"], "what was called")
    },
    ConformanceCase(
      .saving, "order.many-records-and-links",
      "a save of several records writes their links, or none of them when one is in conflict (B77, B169)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.context
      func change(_ age: Int) throws {
        for name in ["Ada", "Bob", "Dan"] { try context.named("Person", name).set("age", age) }
        let (ada, dan) = (try context.named("Person", "Ada"), try context.named("Person", "Dan"))
        try ada.set("projects", Set([try context.named("Project", "Idle")]))
        try dan.add(try context.named("Project", "Engine"), to: "projects")
        try dan.add(ada, try context.named("Person", "Eve"), to: "friends")
      }
      func expectLinks(_ ada: [String], _ dan: [String], _ friends: [String]) throws {
        let fresh = stack.makeContext()
        fresh.stalenessInterval = 0
        try withExtendedLifetime(fresh) {
          try expectEqual(try fresh.named("Person", "Ada").names("projects"), ada, "Ada's projects")
          try expectEqual(try fresh.named("Person", "Dan").names("projects"), dan, "Dan's projects")
          try expectEqual(try fresh.named("Person", "Dan").names("friends"), friends, "his friends")
          for name in friends {
            try expectEqual(
              try fresh.named("Person", name).names("friends"), ["Dan"], "the inverse")
          }
        }
      }
      try change(50)
      let other = stack.makeContext()
      try other.named("Person", "Bob").set("age", 1)
      try other.save()
      try expectError(.managedObjectMerge, "the save") { try context.save() }
      try expectLinks(["Engine", "Notes"], ["Notes"], [])
      context.rollback()
      try change(60)
      try context.save()
      try expectLinks(["Idle"], ["Engine", "Notes"], ["Ada", "Eve"])
      let (ada, dan) = (try context.named("Person", "Ada"), try context.named("Person", "Dan"))
      for person in [ada, dan] { try person.set("note", "alone") }
      try dan.set("friends", Set<ManagedObject>())
      try ada.set("projects", Set<ManagedObject>())
      try context.save()
      try expectLinks([], ["Engine", "Notes"], [])
    },
    ConformanceCase(
      .saving, "order.swapped-values-and-links",
      "a save in which unique values change hands writes its links, too (B77, B197)",
      needs: [.uniqueness]
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Member", [.string("name"), .string("code")], unique: [["code"]])
      sketch.add("Club", [.string("name")])
      sketch.relate(.init("Member", "clubs", .many), .init("Club", "members", .ordered))
      let stack = try stage.open(sketch.make())
      let clubs = try ["X", "Y"].map { try stack.context.make("Club", ["name": $0]) }
      let members = try ["a", "b", "c"].map {
        try stack.context.make("Member", ["name": $0, "code": $0])
      }
      try clubs[0].set("members", members)
      try stack.context.save()
      try members[0].set("code", "b")
      try members[1].set("code", "a")
      try clubs[0].set("members", [members[2], members[0]])
      try clubs[1].set("members", [members[1], members[2]])
      try stack.context.save()
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      try withExtendedLifetime(fresh) {
        try expectEqual(try fresh.named("Member", "a").text("code"), "b", "the code")
        try expectEqual(try fresh.named("Club", "X").names("members"), ["c", "a"], "members of X")
        try expectEqual(try fresh.named("Club", "Y").names("members"), ["b", "c"], "members of Y")
        try expectEqual(
          try fresh.named("Member", "c").names("clubs"), ["X", "Y"], "the clubs of c")
      }
    },
    ConformanceCase(
      .saving, "order.different-attributes",
      "objects of one save whose changed attributes differ are each written as they are (B173)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let people = try ["a", "b", "c", "d"].map {
        try stack.context.make("Person", ["name": $0, "age": 1, "note": "old"])
      }
      try stack.context.save()
      try people[0].set("age", 2)
      try people[1].set("note", "new")
      try people[2].set("age", 3)
      try people[2].set("note", "newer")
      try people[3].set("age", 4)
      try stack.context.save()
      // From the store: a context of the same coordinator may get the saved values from the cache.
      try stack.readAnew()
      for (name, age, note) in [
        ("a", 2, "old"), ("b", 1, "new"), ("c", 3, "newer"), ("d", 4, "old"),
      ] {
        let person = try stack.context.named("Person", name)
        try expectEqual(try person.get("age"), .integer(Int64(age)), "the age of \(name)")
        try expectEqual(try person.text("note"), note, "the note of \(name)")
      }
    },
  ]
}
