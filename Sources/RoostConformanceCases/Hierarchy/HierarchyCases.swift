// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

/// Contexts that read from a context and save into it.
enum HierarchyCases {
  static let all: [ConformanceCase] =
    saving + reading + identities + relationships + transient + depth + revivals + orders

  /// A case with a company, a parent and a child.
  static func family(
    _ name: String, _ title: String,
    _ body:
      @escaping @Sendable (ConformanceStack, ManagedObjectContext, ManagedObjectContext)
      throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.hierarchy, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      let child = ManagedObjectContext(.privateQueue, parent: stack.context)
      try body(stack, stack.context, child)
    }
  }

  /// Returns the names that a context without cached rows reads.
  private static func stored(_ stack: ConformanceStack) throws -> [String] {
    try stack.makeContext().names("Person")
  }

  private static let saving: [ConformanceCase] = [
    family("one-level", "a child's save reaches its parent, and no store (B200, B206)") {
      stack, parent, child in
      let commits = stack.coordinator.counters.commits
      let ada = try child.named("Person", "Ada")
      try ada.set("age", 40)
      let zoe = try child.make("Person", ["name": "Zoe"])
      child.delete(try child.named("Person", "Eve"))
      try child.save()
      try expect(!child.hasChanges, "the child is clean")
      try expect(parent.hasChanges, "the parent is dirty (B206)")
      try expectEqual(stack.coordinator.counters.commits, commits, "the commits")
      try expectEqual(try stored(stack), ["Ada", "Bob", "Cleo", "Dan", "Eve"], "the store")
      try expectEqual(try parent.names("Person"), ["Ada", "Bob", "Cleo", "Dan", "Zoe"])
      try expectEqual(try parent.named("Person", "Ada").number("age"), 40)
      try expectEqual(parent.insertedObjects.count, 1, "the parent's new objects")
      try expectEqual(parent.updatedObjects.count, 1, "the parent's changed objects")
      try expectEqual(parent.deletedObjects.count, 1, "the parent's deleted objects (B211)")
      try parent.save()
      try expectEqual(try stored(stack), ["Ada", "Bob", "Cleo", "Dan", "Zoe"], "the store")
      try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 40)
      try expectEqual(try zoe.text("name"), "Zoe")
    },
    family("not-before", "the parent has nothing of a child before it saves (B201, B205)") {
      _, parent, child in
      try child.named("Person", "Ada").set("age", 40)
      try child.make("Person", ["name": "Zoe"])
      try expectEqual(try parent.names("Person"), ["Ada", "Bob", "Cleo", "Dan", "Eve"])
      try expectEqual(try parent.named("Person", "Ada").number("age"), 36)
      try expect(!parent.hasChanges, "the parent is clean")
      child.reset()
      try child.save()
      try expect(!parent.hasChanges, "the parent is clean after the child forgot (B205)")
    },
    family("child-wins", "the child's values replace what is pending in the parent (B208)") {
      stack, parent, child in
      let mine = try parent.named("Person", "Ada")
      try mine.set("age", 50)
      try mine.set("note", "parent")
      let theirs = try child.named("Person", "Ada")
      try expectEqual(try theirs.number("age"), 50, "the age in the child (B203)")
      try mine.set("age", 51)
      try theirs.set("age", 52)
      try child.save()
      try expectEqual(try mine.number("age"), 52, "the age in the parent (B208)")
      try expectEqual(try mine.text("note"), "parent", "what the child did not change")
      try parent.save()
      try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 52)
    },
    family("child-wins-deleted", "what the child changed is not deleted in the parent (B208)") {
      stack, parent, child in
      let theirs = try child.named("Person", "Eve")
      try theirs.set("age", 52)
      parent.delete(try parent.named("Person", "Eve"))
      parent.processPendingChanges()
      try child.save()
      try parent.save()
      try expectEqual(try stack.storedNumber("age", ofPerson: "Eve"), 52)
    },
    family("deletes", "a deletion in a child is one in the parent, with its rules (B211)") {
      stack, parent, child in
      let research = try parent.named("Department", "Research")
      try expectEqual(try research.names("people"), ["Ada", "Bob"])
      let zoe = try parent.make("Person", ["name": "Zoe"])
      try zoe.set("manager", try parent.named("Person", "Ada"))
      child.delete(try child.named("Person", "Ada"))
      try child.save()
      try expectEqual(try research.names("people"), ["Bob"], "the inverse in the parent")
      try expect(try zoe.one("manager") == nil, "the reference of an object of the parent")
      try expect(try parent.named("Person", "Bob").one("manager") == nil, "Bob's manager")
      try parent.save()
      try expectEqual(try stored(stack), ["Bob", "Cleo", "Dan", "Eve", "Zoe"])
    },
    family("delete-new", "a child can delete what is new in its parent (B89, B211)") {
      stack, parent, child in
      try parent.make("Person", ["name": "Zoe"])
      child.delete(try child.named("Person", "Zoe"))
      try child.save()
      try expect(!parent.hasChanges, "the new object left no trace (B89)")
      try expectEqual(try parent.names("Person"), ["Ada", "Bob", "Cleo", "Dan", "Eve"])
    },
    family("validation", "a child's save validates, and the parent is untouched (B206)") {
      _, parent, child in
      try child.named("Person", "Ada").set("age", 3)
      try child.named("Person", "Bob").set("name", "a\0")
      try expectError(.invalidValue) { try child.save() }
      try expect(child.hasChanges && !parent.hasChanges, "nothing reached the parent")
    },
    family("gone", "a child cannot change what is gone below, and nothing is half done (B208)") {
      stack, parent, child in
      try child.named("Person", "Eve").set("age", 3)
      try child.named("Person", "Ada").set("age", 3)
      let other = stack.makeContext()
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      parent.reset()
      try expectError(.objectReferentialIntegrity) { try child.save() }
      try expect(child.hasChanges && !parent.hasChanges, "nothing reached the parent")
    },
    family("store", "an object that a child assigns to a store goes there (B230)") {
      stack, parent, child in
      let zoe = try child.make("Person", ["name": "Zoe"])
      try child.assign(zoe, to: stack.coordinator.persistentStores[0])
      try child.save()
      try parent.save()
      try expectEqual(
        zoe.objectID.storeIdentity?.identifier,
        stack.coordinator.persistentStores[0].identity.identifier)
    },
  ]

  private static let reading: [ConformanceCase] = [
    family("fetch", "a child's fetch has the parent's unsaved state and its own (B202)") {
      _, parent, child in
      try parent.make("Person", ["name": "Zoe", "age": 50])
      try parent.named("Person", "Ada").set("age", 51)
      parent.delete(try parent.named("Person", "Bob"))
      try expectEqual(
        try child.names("Person", "age >= 36"), ["Ada", "Dan", "Zoe"], "with the parent's changes")
      try child.make("Person", ["name": "Yan", "age": 60])
      try child.named("Person", "Dan").set("age", 1)
      child.delete(try child.named("Person", "Ada"))
      try expectEqual(try child.names("Person", "age >= 36"), ["Yan", "Zoe"], "with its own")
      try expectEqual(
        try child.count(for: child.request("Person", "age >= 36", [])), 2, "the count (B130)")
      let ids = FetchRequest<ObjectID>(entityName: "Person")
      try expectEqual(try child.fetch(ids).count, 5, "the IDs: Cleo, Dan, Eve, Yan, Zoe")
      try expectEqual(
        try parent.names("Person", "age >= 36"), ["Ada", "Dan", "Zoe"], "the parent's view")
    },
    family("windows", "order, limit and offset hold over all levels (B124, B125, B202)") {
      _, parent, child in
      try parent.make("Person", ["name": "Abe"])
      try child.make("Person", ["name": "Ben"])
      let request = try child.request("Person", nil, [])
      (request.fetchOffset, request.fetchLimit) = (1, 4)
      try expectEqual(
        try child.fetch(request).map { try $0.text("name") ?? "" }, ["Ada", "Ben", "Bob", "Cleo"])
    },
    family("stored-only", "without pending changes a child asks the store alone (B122)") {
      _, parent, child in
      try parent.make("Person", ["name": "Zoe"])
      let request = try child.request("Person", nil, [])
      request.includesPendingChanges = false
      try expectEqual(try child.fetch(request).count, 5)
    },
    family("dictionaries", "columns are those of the store (B123)") { _, parent, child in
      try parent.named("Person", "Ada").set("age", 99)
      let request = FetchRequest<[String: Any]>(entityName: "Person")
      request.predicate = try FetchPredicate("name == %@", "Ada")
      try expectEqual(try child.fetch(request).first.flatMap { whole($0["age"]) }, 36)
    },
    family("faults", "a child's fault has the parent's values of now (B203)") { _, parent, child in
      let mine = try parent.named("Person", "Ada")
      let theirs = child.object(with: mine.objectID)
      try mine.set("age", 51)
      try mine.set("department", try parent.named("Department", "Sales"))
      try expectEqual(try theirs.number("age"), 51, "the age")
      try expectEqual(try theirs.one("department")?.text("name"), "Sales", "the department")
      try expectEqual(
        try child.named("Department", "Sales").names("people"), ["Ada", "Cleo", "Dan"])
    },
    family("kept", "what a child has read stays until it is refreshed (B204)") {
      _, parent, child in
      let theirs = try child.named("Person", "Ada")
      try expectEqual(try theirs.number("age"), 36)
      try parent.named("Person", "Ada").set("age", 51)
      _ = try child.all("Person")
      try expectEqual(try theirs.number("age"), 36, "the age after a fetch (B204)")
      try child.refresh(theirs, mergeChanges: false)
      try expectEqual(try theirs.number("age"), 51, "the age after a refresh")
      try theirs.set("note", "child")
      try parent.named("Person", "Ada").set("age", 52)
      try child.refresh(theirs, mergeChanges: true)
      try expectEqual(try theirs.number("age"), 52, "the age after a merging refresh")
      try expectEqual(try theirs.text("note"), "child", "the child's own change (B116)")
    },
    family("existing", "a child finds what exists in its parent, and nothing else (B42)") {
      _, parent, child in
      let zoe = try parent.make("Person", ["name": "Zoe"])
      try expectEqual(try child.existingObject(with: zoe.objectID).text("name"), "Zoe")
      let eve = try parent.named("Person", "Eve")
      parent.delete(eve)
      try expectError(.objectReferentialIntegrity) {
        _ = try child.existingObject(with: eve.objectID)
      }
    },
    family("generation", "a child reads in its parent's snapshot, and has none itself (B210)") {
      stack, parent, child in
      try expectError(.invalidRequest) { try child.setQueryGenerationFrom(.current) }
      try expect(child.queryGenerationToken == nil, "the child has no snapshot")
      try parent.setQueryGenerationFrom(.current)
      _ = try parent.names("Person")
      let other = stack.makeContext()
      try other.make("Person", ["name": "Zoe"])
      try other.save()
      let isPinned = stack.coordinator.persistentStores.allSatisfy { $0.snapshots != nil }
      try expectEqual(try child.names("Person").contains("Zoe"), !isPinned)
    },
  ]
}
