// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Merging the saves of other contexts.
enum MergingCases {
  static let all: [ConformanceCase] = merges + remote + automatic + orders

  /// A case with a company and two contexts.
  private static func two(
    _ name: String, _ title: String,
    _ body:
      @escaping @Sendable (ConformanceStack, ManagedObjectContext, ManagedObjectContext)
      throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.merging, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      try body(stack, stack.context, stack.makeContext())
    }
  }

  /// Saves a context and merges its save into another one.
  private static func save(
    _ source: ManagedObjectContext, into target: ManagedObjectContext, asIDs: Bool = false
  ) throws {
    let notes = Notes()
    let name =
      asIDs
      ? ManagedObjectContext.didSaveObjectIDsNotification
      : ManagedObjectContext.didSaveObjectsNotification
    let token = NotificationCenter.default.addObserver(
      forName: name, object: source, queue: nil
    ) { notes.note = $0 }
    defer { NotificationCenter.default.removeObserver(token) }
    try source.save()
    target.mergeChanges(fromContextDidSave: try require(notes.note, "the notification"))
  }

  // Sendable: notifications come on the thread of the case.
  private final class Notes: @unchecked Sendable {
    var note: Notification?
  }

  private static let merges: [ConformanceCase] = [
    two("rolled-back", "a deletion taken back after a merge shows what others saved (B114, B176)") {
      _, context, other in
      let ada = try context.named("Person", "Ada")
      try expectEqual(try ada.number("age"), 36)
      context.delete(ada)
      try other.named("Person", "Ada").set("age", 40)
      try save(other, into: context)
      context.rollback()
      try expectEqual(try ada.number("age"), 40)
      try ada.set("note", "x")
      try context.save()
    },
    two("updated", "registered objects get the values that another saved (B213, B216)") {
      stack, context, other in
      let ada = try context.named("Person", "Ada")
      try expectEqual(try ada.number("age"), 36)
      try other.named("Person", "Ada").set("age", 40)
      let trips = stack.coordinator.counters.roundTrips
      try save(other, into: context)
      try expectEqual(try ada.number("age"), 40)
      try expect(!context.hasChanges && !ada.hasChanges, "nothing is dirty (B216)")
      try expectEqual(
        stack.coordinator.counters.roundTrips - trips, 1, "the round trips: the save alone")
      try ada.set("age", 41)
      try context.save()
    },
    two("local", "a merge keeps local changes, property by property (B215, B116)") {
      stack, context, other in
      let ada = try context.named("Person", "Ada")
      try ada.set("age", 50)
      let theirs = try other.named("Person", "Ada")
      try theirs.set("age", 40)
      try theirs.set("note", "other")
      try save(other, into: context, asIDs: true)
      try expectEqual(try ada.number("age"), 50, "the local change")
      try expectEqual(try ada.text("note"), "other", "the other's change")
      try context.save()
      try expectEqual(try stack.version(of: ada), 3, "the version (B187 was not needed)")
    },
    two("inserted", "new objects are announced, and not kept (B213, B216)") {
      _, context, other in
      let listener = Listener(context)
      try other.make("Person", ["name": "Zoe"])
      try save(other, into: context)
      try expectEqual(try listener.take(), ["changed +1", "didMerge +1"])
      try expectEqual(context.registeredObjects.count, 0, "nobody keeps it (B45)")
      try expect(!context.hasChanges, "nothing is dirty (B216)")
      context.retainsRegisteredObjects = true
      try other.make("Person", ["name": "Yan"])
      try save(other, into: context)
      try expectEqual(context.registeredObjects.count, 1, "it is kept where all are")
      try expectEqual(try context.registeredObjects.first?.text("name"), "Yan")
    },
    two("deleted", "deleted objects leave, also those that were changed here (B213, B220)") {
      _, context, other in
      let research = try context.named("Department", "Research")
      try expectEqual(try research.names("people"), ["Ada", "Bob"])
      let bob = try context.named("Person", "Bob")
      let eve = try context.named("Person", "Eve")
      try bob.set("age", 1)
      let listener = Listener(context)
      for name in ["Bob", "Eve"] { other.delete(try other.named("Person", name)) }
      try save(other, into: context)
      try expect(bob.managedObjectContext == nil, "a changed object has left (B220)")
      try expect(eve.managedObjectContext == nil, "a clean object has left")
      try expect(!context.hasChanges, "nothing is dirty (B216)")
      try expectEqual(try research.names("people"), ["Ada"], "the relationship")
      try expect(
        try listener.take().contains { $0.hasPrefix("changed") && $0.contains("-2") },
        "the deletion is told")
      try context.save()
    },
    two("related", "relationships follow what another saved (B213)") { _, context, other in
      let sales = try context.named("Department", "Sales")
      let ada = try context.named("Person", "Ada")
      try expectEqual(try sales.names("people"), ["Cleo", "Dan"])
      try expectEqual(try ada.names("projects"), ["Engine", "Notes"])
      try expectEqual(try ada.one("department")?.text("name"), "Research")
      let zoe = try other.make("Person", ["name": "Zoe"])
      try zoe.set("department", try other.named("Department", "Sales"))
      let theirs = try other.named("Person", "Ada")
      try theirs.set("department", try other.named("Department", "Sales"))
      try theirs.set("projects", Set([try other.named("Project", "Idle")]))
      try save(other, into: context)
      try expectEqual(try sales.names("people"), ["Ada", "Cleo", "Dan", "Zoe"])
      try expectEqual(try ada.names("projects"), ["Idle"])
      try expectEqual(try ada.one("department")?.text("name"), "Sales")
      try expect(!context.hasChanges, "nothing is dirty (B216)")
    },
    two("related-local", "local changes of a relationship stay on top (B215)") {
      _, context, other in
      let ada = try context.named("Person", "Ada")
      try ada.remove(try context.named("Project", "Engine"), from: "projects")
      let theirs = try other.named("Person", "Ada")
      try theirs.add(try other.named("Project", "Idle"), to: "projects")
      try theirs.set("age", 1)
      try save(other, into: context)
      try expectEqual(try ada.names("projects"), ["Idle", "Notes"])
    },
    two("unregistered", "what is not registered is not read (B214)") { stack, context, other in
      for name in ["Ada", "Bob"] { try other.named("Person", name).set("age", 1) }
      try save(other, into: context)
      try expectEqual(context.registeredObjects.count, 0)
      try expectEqual(context.counters.rowsFetched, 0, "the rows that were read")
    },
    two("faults", "a fault has the new values when it fires (B213)") { _, context, other in
      let ada = try context.named("Person", "Ada")
      try context.refresh(ada, mergeChanges: false)
      try other.named("Person", "Ada").set("age", 40)
      try save(other, into: context)
      try expect(ada.isFault, "the fault stays one")
      try expectEqual(try ada.number("age"), 40)
    },
    two("told", "a merge is told as a refresh, and by IDs (B216, B346)") { _, context, other in
      let ada = try context.named("Person", "Ada")
      _ = try ada.get("age")
      let listener = Listener(context)
      try other.named("Person", "Ada").set("age", 40)
      try save(other, into: context)
      try expectEqual(try listener.take(), ["changed r1", "didMerge ~1 r1"])
    },
    two("foreign", "a merge leaves the objects of the context that saved alone (B219)") {
      stack, context, other in
      let ada = try context.named("Person", "Ada")
      _ = try ada.get("age")
      let theirs = try other.named("Person", "Ada")
      try theirs.set("age", 40)
      let notes = Notes()
      let token = NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.didSaveObjectsNotification, object: other, queue: nil
      ) { notes.note = $0 }
      defer { NotificationCenter.default.removeObserver(token) }
      try other.save()
      try other.refresh(theirs, mergeChanges: false)
      let trips = other.counters.roundTrips
      context.mergeChanges(fromContextDidSave: try require(notes.note, "the notification"))
      try expectEqual(try ada.number("age"), 40, "the receiver's object")
      try expect(ada !== theirs && ada.managedObjectContext === context, "it is the receiver's own")
      try expect(theirs.isFault && !other.hasChanges, "the sender's object is as it was")
      try expectEqual(other.counters.roundTrips, trips, "the sender's round trips")
    },
    two("own", "a context's own save is not merged into it (B213)") { _, context, _ in
      let listener = Listener(context)
      try context.named("Person", "Ada").set("age", 40)
      try save(context, into: context)
      try expect(!(try listener.take().contains { $0.hasPrefix("didMerge") }), "there is no merge")
    },
    two("refetched", "a refreshing fetch updates clean objects and keeps changes (B145)") {
      _, context, other in
      let ada = try context.named("Person", "Ada")
      let bob = try context.named("Person", "Bob")
      _ = try ada.get("age")
      try bob.set("age", 1)
      for name in ["Ada", "Bob"] {
        try other.named("Person", name).set("age", 40)
        try other.named("Person", name).set("note", "other")
      }
      try other.save()
      let request = try context.request("Person", nil, [])
      _ = try context.fetch(request)
      try expectEqual(try ada.number("age"), 36, "an ordinary fetch (B49)")
      request.shouldRefreshRefetchedObjects = true
      _ = try context.fetch(request)
      try expectEqual(try ada.number("age"), 40, "a clean object")
      try expectEqual(try bob.number("age"), 1, "the change of a dirty object")
      try expectEqual(try bob.text("note"), "other", "the rest of a dirty object")
    },
  ]

  private static let remote: [ConformanceCase] = [
    two("remote", "IDs and URIs are merged into several contexts (B217)") { stack, context, other in
      let third = stack.makeContext()
      let objects = try [context, third].map { try $0.named("Person", "Ada") }
      let eve = try context.named("Person", "Eve")
      for object in objects { _ = try object.get("age") }
      try other.named("Person", "Ada").set("age", 40)
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      ManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [
          "updated": [objects[0].objectID.uriRepresentation()], "deleted": [eve.objectID],
          "nonsense": 1,
        ], into: [context, third])
      for object in objects { try expectEqual(try object.number("age"), 40) }
      try expect(eve.managedObjectContext == nil, "the deleted object has left")
    },
    ConformanceCase(
      .merging, "remote-coordinator",
      "what another coordinator wrote is read from the store (B217)",
      needs: [.secondHandle]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let other = try stage.open(stack.model, on: stack.stores)
      let ada = try stack.context.named("Person", "Ada")
      let theirs = try other.context.named("Person", "Ada")
      try theirs.set("age", 40)
      try save(other.context, into: stack.context)
      try expectEqual(try ada.number("age"), 40)
      try theirs.set("age", 41)
      try other.context.save()
      var changes = ManagedObjectContext.ObjectIDChanges()
      changes.updatedObjectIDs = [theirs.objectID]
      stack.context.mergeChanges(changes)
      try expectEqual(try ada.number("age"), 41)
      try ada.set("age", 42)
      try stack.context.save()
    },
    two("remote-gone", "a record that is gone by then leaves as well (B217, B220)") {
      stack, context, other in
      let eve = try context.named("Person", "Eve")
      _ = try eve.get("age")
      let id = eve.objectID
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      var changes = ManagedObjectContext.ObjectIDChanges()
      changes.updatedObjectIDs = [id]
      context.mergeChanges(changes)
      try expect(eve.managedObjectContext == nil, "the object has left")
      try context.save()
    },
  ]

  private static let automatic: [ConformanceCase] = [
    two("automatic", "a context merges its siblings' saves by itself (B218)") {
      _, context, other in
      context.automaticallyMergesChangesFromParent = true
      let ada = try context.named("Person", "Ada")
      let eve = try context.named("Person", "Eve")
      _ = try ada.get("age")
      try other.named("Person", "Ada").set("age", 40)
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      context.performAndWait {}
      try expectEqual(try ada.number("age"), 40)
      try expect(eve.managedObjectContext == nil, "the deleted object has left")
      try expect(!context.hasChanges, "nothing is dirty (B216)")
      context.automaticallyMergesChangesFromParent = false
      try other.named("Person", "Ada").set("age", 41)
      try other.save()
      context.performAndWait {}
      try expectEqual(try ada.number("age"), 40, "the value when it merges no longer")
    },
    two("automatic-own", "a context that merges by itself saves without conflict (B218)") {
      _, context, other in
      context.automaticallyMergesChangesFromParent = true
      let ada = try context.named("Person", "Ada")
      for age in 1...5 {
        try other.refreshAllObjects()
        try other.named("Person", "Ada").set("age", age)
        try other.save()
        try ada.set("note", "\(age)")
        try context.save()
        try expectEqual(try ada.number("age"), Int64(age))
        other.reset()
      }
    },
    two("automatic-child", "a child merges its parent's saves by itself (B218)") {
      _, context, _ in
      let child = ManagedObjectContext(.privateQueue, parent: context)
      child.automaticallyMergesChangesFromParent = true
      let theirs = try child.named("Person", "Ada")
      _ = try theirs.get("age")
      try context.named("Person", "Ada").set("age", 40)
      child.processPendingChanges()
      try expectEqual(try theirs.number("age"), 36, "the value before the parent's save")
      try context.save()
      child.processPendingChanges()
      try expectEqual(try theirs.number("age"), 40)
      try expect(!child.hasChanges, "nothing is dirty (B216)")
    },
    two("automatic-pinned", "a context that reads one snapshot does not merge by itself (B218)") {
      _, context, _ in
      try context.setQueryGenerationFrom(.current)
      context.automaticallyMergesChangesFromParent = true
      try expect(!context.automaticallyMergesChangesFromParent, "it does not merge")
      try expectError(.invalidRequest, "the next save") { try context.save() }
      try context.setQueryGenerationFrom(nil)
      context.automaticallyMergesChangesFromParent = true
      try expectError(.invalidRequest) { try context.setQueryGenerationFrom(.current) }
    },
  ]
}
