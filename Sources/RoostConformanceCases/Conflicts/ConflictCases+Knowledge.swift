// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// A save is checked against the version that its context has read, even if the cache has a newer one.
extension ConflictCases {
  static let knowledge: [ConformanceCase] = [
    ConformanceCase(
      .conflicts, "cache-moved-on",
      "a newer row in the cache does not make an older one the newest (B175)",
      needs: [.secondHandle]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let mine = try stack.context.named("Person", "Ada")
      try expectEqual(try mine.number("age"), 36)
      let other = try stage.open(stack.model, on: stack.stores)
      try other.context.named("Person", "Ada").set("age", 50)
      try other.context.save()
      // Another context of this coordinator reads the other's save, so that the cache has it.
      try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 50)
      try mine.set("note", "mine")
      try expectError(.managedObjectMerge, "the save") { try stack.context.save() }
      try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 50, "what is stored")
    },
    ConformanceCase(
      .conflicts, "cache-stale",
      "an older row in the cache is no conflict for who has read the newest (B175)",
      needs: [.secondHandle]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try expectEqual(try stack.context.named("Person", "Ada").number("age"), 36)
      let other = try stage.open(stack.model, on: stack.stores)
      try other.context.named("Person", "Ada").set("age", 50)
      try other.context.save()
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      let mine = try fresh.named("Person", "Ada")
      try expectEqual(try mine.number("age"), 50)
      try mine.set("note", "mine")
      try fresh.save()
      try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 50, "what is stored")
    },
    ConformanceCase(
      .conflicts, "pending-deletion-merged",
      "a pending deletion stays that of the version it was made from when a newer one is merged (B176)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let (context, other) = (stack.makeContext(), stack.makeContext())
      let bob = try context.named("Person", "Bob")
      _ = try bob.get("age")
      context.delete(bob)
      context.processPendingChanges()
      try other.named("Person", "Bob").set("age", 77)
      try other.save()
      var changes = ManagedObjectContext.ObjectIDChanges()
      changes.updatedObjectIDs = [bob.objectID]
      context.mergeChanges(changes)
      try expect(bob.isDeleted, "the deletion is still pending")
      for attempt in ["first", "second"] {
        let error = try expectError(.managedObjectMerge, "the \(attempt) save") {
          try context.save()
        }
        try expectEqual(error.objectIDs, [bob.objectID], "what is in conflict")
      }
      try expectEqual(try stack.storedNumber("age", ofPerson: "Bob"), 77, "what is stored")
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      try expectEqual(try stack.makeContext().names("Person"), ["Ada", "Cleo", "Dan", "Eve"])
    },
  ]

  /// A parent that another context deleted, and that is changed here, with a new child.
  private static func deletedThere(_ name: String, _ rule: DeleteRule) -> ConformanceCase {
    ConformanceCase(
      .conflicts, "rules-after-policy.deleted-there-\(name)",
      "what a policy finds to be deleted is nobody's destination any more (B183)"
    ) { stage in
      let (stack, _) = try HookedModel.open(stage, rule)
      let context = stack.context
      let parent = try context.make("Parent", ["name": "p"])
      try context.save()
      let other = stack.makeContext()
      other.delete(try other.named("Parent", "p"))
      try other.save()
      try parent.set("stamp", 1)
      let child = try context.make("Child", ["name": "c", "parent": parent])
      context.mergePolicy = .mergeByPropertyStoreTrump
      try context.save()
      try expect(!context.hasChanges, "nothing is pending")
      try expect(parent.managedObjectContext == nil, "the parent has left")
      try expect(try child.one("parent") == nil, "the child has no parent")
      let fresh = stack.makeContext()
      try expect(try fresh.named("Child", "c").one("parent") == nil, "nor has its record")
    }
  }

  /// A parent takes a unique name from another one, which the merge policy deletes; checks the children of the
  /// deleted one.
  private static func ousted(
    _ name: String, _ title: String, _ rule: DeleteRule, children: [String]
  ) -> ConformanceCase {
    ConformanceCase(
      .conflicts, "rules-after-policy.\(name)", title, needs: [.uniqueness]
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Parent", [.string("name")], unique: [["name"]])
      sketch.add("Child", [.string("name")])
      sketch.relate(
        .init("Parent", "children", .many, rule: rule), .init("Child", "parent", .one))
      let stack = try stage.open(sketch.make())
      for name in ["a", "b"] {
        let parent = try stack.context.make("Parent", ["name": name])
        try stack.context.make("Child", ["name": "child of \(name)", "parent": parent])
      }
      try stack.context.save()
      let context = stack.makeContext()
      try withExtendedLifetime(context) {
        let winner = try context.named("Parent", "b")
        context.mergePolicy = .mergeByPropertyObjectTrump
        try winner.set("name", "a")
        try context.save()
        try expect(!context.hasChanges, "nothing is pending")
      }
      let fresh = stack.makeContext()
      try withExtendedLifetime(fresh) {
        try expectEqual(try fresh.names("Child"), children, "the children")
        try expectEqual(try fresh.names("Parent"), ["a"], "the parents")
        try expectEqual(
          try fresh.named("Parent", "a").names("children"), ["child of b"], "their children")
        for child in try fresh.all("Child", "name == 'child of a'") {
          try expect(try child.one("parent") == nil, "the child has no parent")
        }
      }
    }
  }

  static let rulesAfterPolicies: [ConformanceCase] = [
    deletedThere("nullify", .nullify), deletedThere("cascade", .cascade),
    ousted(
      "nullify", "what a policy deletes is taken from its relatives (B85, B187)", .nullify,
      children: ["child of a", "child of b"]),
    ousted(
      "cascade", "what a policy deletes takes its relatives along (B86, B187)", .cascade,
      children: ["child of b"]),
  ]
}
