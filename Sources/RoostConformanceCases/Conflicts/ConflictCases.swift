// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Two contexts that change one record: the error policy.
enum ConflictCases {
  /// A case with two contexts that have read the company.
  static func two(
    _ name: String, _ title: String,
    _ body:
      @escaping @Sendable (ConformanceStack, ManagedObjectContext, ManagedObjectContext)
      throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.conflicts, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      let other = stack.makeContext()
      try body(stack, stack.context, other)
    }
  }

  /// Expects that a save is refused because of another's changes to `objects`.
  static func expectConflict(
    _ context: ManagedObjectContext, _ objects: Set<ManagedObject>
  ) throws {
    let error = try expectError(.managedObjectMerge, "the save") { try context.save() }
    try expectEqual(Set(error.objectIDs), Set(objects.map(\.objectID)), "the objects in conflict")
    try expect(context.hasChanges, "the changes are pending (B178)")
  }

  static let all: [ConformanceCase] =
    updates + deletions + [secondHandle] + knowledge + rulesAfterPolicies + waysOut + underChanges
    + oldReads
    + MergePolicyCases.all + AnomalyCases.all + TogetherCases.ofOneStore

  private static let updates: [ConformanceCase] = [
    two("update-update", "a record that was changed meanwhile is refused (B175, B178)") {
      stack, context, other in
      let mine = try context.named("Person", "Ada")
      let theirs = try other.named("Person", "Ada")
      try mine.set("age", 40)
      try theirs.set("age", 50)
      try other.save()
      try expectConflict(context, [mine])
      try expectEqual(try mine.number("age"), 40, "the value here")
      try stack.readAnew()
      try expectEqual(try stack.context.named("Person", "Ada").number("age"), 50)
    },
    two("different-properties", "changes of two properties conflict as well (B176)") {
      _, context, other in
      let mine = try context.named("Person", "Ada")
      try mine.set("age", 40)
      try other.named("Person", "Ada").set("salary", 1)
      try other.save()
      try expectConflict(context, [mine])
    },
    two(
      "different-records", "changes of two records do not conflict (B176)"
    ) { stack, context, other in
      try context.named("Person", "Ada").set("age", 40)
      try other.named("Person", "Bob").set("age", 50)
      try other.save()
      try context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Person", "Ada").number("age"), 40)
      try expectEqual(try stack.context.named("Person", "Bob").number("age"), 50)
    },
    two(
      "unchanged-read", "a record that was only read does not conflict (B176)"
    ) { _, context, other in
      _ = try context.named("Person", "Bob").get("age")
      try other.named("Person", "Bob").set("age", 50)
      try other.save()
      try context.named("Person", "Ada").set("age", 40)
      try context.save()
    },
    two("nothing-written", "one conflict keeps the whole save out (B169, B178)") {
      stack, context, other in
      let ada = try context.named("Person", "Ada")
      try ada.set("age", 40)
      try context.named("Person", "Bob").set("age", 41)
      context.delete(try context.named("Person", "Eve"))
      try context.make("Person", ["name": "Zoe"])
      try other.named("Person", "Ada").set("age", 50)
      try other.save()
      try expectConflict(context, [ada])
      let third = stack.makeContext()
      try expectEqual(try third.names("Person"), ["Ada", "Bob", "Cleo", "Dan", "Eve"])
      try expectEqual(try third.named("Person", "Bob").number("age"), 25)
    },
    two("refresh-and-retry", "after a refresh with merging the save works (B116)") {
      stack, context, other in
      let ada = try context.named("Person", "Ada")
      try ada.set("age", 40)
      try other.named("Person", "Ada").set("salary", 1)
      try other.save()
      try expectConflict(context, [ada])
      try context.refresh(ada, mergeChanges: true)
      try context.save()
      try stack.readAnew()
      let found = try stack.context.named("Person", "Ada")
      try expectEqual(try found.number("age"), 40)
      try expectExact(try found.get("salary"), .double(1))
      try expectEqual(try stack.version(of: found), 3, "the version")
    },
    two("rollback-and-retry", "after a rollback and a refresh the object is usable (B114)") {
      _, context, other in
      let ada = try context.named("Person", "Ada")
      try ada.set("age", 40)
      try other.named("Person", "Ada").set("age", 50)
      try other.save()
      try expectConflict(context, [ada])
      context.rollback()
      try context.refresh(ada, mergeChanges: false)
      try expectEqual(try ada.number("age"), 50)
      try ada.set("age", 51)
      try context.save()
    },
    two("several", "all records in conflict are named (B178)") { _, context, other in
      let (ada, bob) = (try context.named("Person", "Ada"), try context.named("Person", "Bob"))
      for person in [ada, bob] { try person.set("note", "mine") }
      for name in ["Ada", "Bob"] { try other.named("Person", name).set("note", "theirs") }
      try other.save()
      try expectConflict(context, [ada, bob])
    },
    two("own-saves", "a context does not conflict with its own saves (B175)") { stack, context, _ in
      let ada = try context.named("Person", "Ada")
      for age in 40..<45 {
        try ada.set("age", age)
        try context.save()
      }
      try expectEqual(try stack.version(of: ada), 6, "the version")
    },
    two("to-one", "a changed to-one relationship is a change of its record (B176)") {
      _, context, other in
      let eve = try context.named("Person", "Eve")
      try eve.set("department", try context.named("Department", "Sales"))
      try other.named("Person", "Eve")
        .set("department", try other.named("Department", "Research"))
      try other.save()
      try expectConflict(context, [eve])
    },
    two("links", "links that two contexts add are united (B77, B176)") { stack, context, other in
      try context.named("Person", "Eve").add(try context.named("Project", "Idle"), to: "projects")
      try other.named("Person", "Eve").add(try other.named("Project", "Notes"), to: "projects")
      try other.save()
      try context.save()
      try stack.readAnew()
      try expectEqual(
        try stack.context.named("Person", "Eve").names("projects"), ["Idle", "Notes"])
    },
  ]

  private static let deletions: [ConformanceCase] = [
    two("update-deleted", "a record that was deleted meanwhile is refused (B177, B183)") {
      stack, context, other in
      let mine = try context.named("Person", "Ada")
      try mine.set("age", 40)
      other.delete(try other.named("Person", "Ada"))
      try other.save()
      try expectConflict(context, [mine])
      try expectEqual(try stack.makeContext().names("Person"), ["Bob", "Cleo", "Dan", "Eve"])
    },
    two("delete-updated", "a deletion of a record that was changed is refused (B184)") {
      stack, context, other in
      let mine = try context.named("Person", "Eve")
      _ = try mine.get("age")
      context.delete(mine)
      try other.named("Person", "Eve").set("age", 50)
      try other.save()
      try expectConflict(context, [mine])
      let third = stack.makeContext()
      try expectEqual(try third.named("Person", "Eve").number("age"), 50)
    },
    two("delete-deleted", "a record that both delete is refused, or gone (B177)") {
      stack, context, other in
      let mine = try context.named("Person", "Eve")
      _ = try mine.get("age")
      context.delete(mine)
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      do {
        try context.save()
      } catch let error as PersistenceError {
        try expectEqual(error.code, .managedObjectMerge, "the error")
      }
      try expectEqual(try stack.makeContext().names("Person"), ["Ada", "Bob", "Cleo", "Dan"])
    },
    two("delete-many", "of many deleted records those that were changed are refused (B178)") {
      stack, context, other in
      for number in 1...40 { try other.make("Person", ["name": "Guest \(number)"]) }
      try other.save()
      let guests = try context.all("Person", "name BEGINSWITH 'Guest'")
      for guest in guests {
        _ = try guest.get("age")
        context.delete(guest)
      }
      for name in ["Guest 7", "Guest 31"] { try other.named("Person", name).set("age", 50) }
      try other.save()
      let changed = try guests.filter { ["Guest 7", "Guest 31"].contains(try $0.text("name")) }
      try expectConflict(context, Set(changed))
      let third = stack.makeContext()
      try expectEqual(try third.all("Person", "name BEGINSWITH 'Guest'").count, 40, "all are there")
    },
    two("fault-of-deleted", "a fault whose record is gone reads nil and is deleted (B43)") {
      _, context, other in
      let mine = context.object(with: try other.named("Person", "Eve").objectID)
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      try expectExact(try mine.get("age"), .null)
      try expect(mine.isDeleted, "it is deleted")
      try expect(context.deletedObjects.contains(mine), "it is among the deleted objects")
      try context.save()
    },
    two(
      "fault-of-deleted-strictly", "such a fault can be an error instead (B43)"
    ) { _, context, other in
      context.shouldDeleteInaccessibleFaults = false
      let mine = context.object(with: try other.named("Person", "Eve").objectID)
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      try expectExact(try mine.get("age"), .null)
      try expectError(.objectReferentialIntegrity, "the save") { try context.save() }
    },
    two(
      "refresh-of-deleted", "a refresh of a record that is gone throws (B42)"
    ) { _, context, other in
      let mine = try context.named("Person", "Eve")
      try mine.set("age", 1)
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      try expectError(.objectReferentialIntegrity) {
        try context.refresh(mine, mergeChanges: true)
      }
      try expectEqual(try mine.number("age"), 1, "the change is still there")
    },
  ]

  private static let secondHandle = ConformanceCase(
    .conflicts, "two-coordinators",
    "a record that another coordinator changed is refused (B175, B178)", needs: [.secondHandle]
  ) { stage in
    let stack = try stage.open(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    let other = try stage.open(stack.model, on: stack.stores)
    let mine = try stack.context.named("Person", "Ada")
    try mine.set("age", 40)
    try other.context.named("Person", "Ada").set("age", 50)
    try other.context.save()
    try expectConflict(stack.context, [mine])
    try stack.context.refresh(mine, mergeChanges: false)
    stack.context.stalenessInterval = 0
    try expectEqual(try mine.number("age"), 50, "the value when no cached row is trusted (B50)")
  }
}
