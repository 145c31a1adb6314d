// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

// Reads that fail where no error can be thrown: the error is recorded, and saves fail meanwhile (B361).
extension FaultingCases {
  /// A case on five people, read again from a store whose calls can be made to fail.
  static func failing(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, ManagedObjectContext, FaultSwitch) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.faulting, "failed-read.\(name)", title) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let context = stack.makeContext()
      context.stalenessInterval = 0
      context.batchesFaults = false
      try withExtendedLifetime(context) { try body(stack, context, faults) }
      faults.clear()
    }
  }

  /// Expects that saves are refused, with the object's name in the error.
  private static func expectRefused(
    _ context: ManagedObjectContext, naming object: ManagedObject
  ) throws {
    for attempt in ["the first save", "the second save"] {
      do {
        try context.save()
        try expect(false, "\(attempt) is refused")
      } catch let error as PersistenceError where error.code == .readFailed {
        try expectEqual(error.objectIDs, [object.objectID], "\(attempt) names the object")
        try expectEqual(error.underlyingErrors.count, 1, "\(attempt) has the store's error")
      }
    }
    try expectEqual(context.readError?.objectIDs, [object.objectID], "what the context says")
  }

  static let failedReads: [ConformanceCase] = failedValues + failedChanges + failedElsewhere

  private static let failedValues: [ConformanceCase] = [
    failing("total", "what was computed from a failed read is never saved (B361)") {
      stack, context, faults in
      let research = try context.named("Department", "Research")
      faults.fail(.destinations)
      research["budget"] = Decimal((research["people"] as? Set<ManagedObject>)?.count ?? 0)
      try expectRefused(context, naming: research)
      try expectEqual(try research.many("people").count, 2, "a later read asks the store again")
      try expectRefused(context, naming: research)
      context.rollback()
      try expect(context.readError == nil, "a rollback takes the failure away")
      research["budget"] = Decimal(try research.many("people").count)
      try context.save()
      let fresh = stack.makeContext()
      try withExtendedLifetime(fresh) {
        try expectExact(
          try fresh.named("Department", "Research").get("budget"), .decimal(2), "what is stored")
      }
    },
    failing(
      "refresh", "a refresh that can read takes the failure away, another one does not (B361)"
    ) {
      _, context, faults in
      let ada = context.object(with: try context.named("Person", "Ada").objectID)
      try context.refresh(ada, mergeChanges: false)
      for merges in [true, false] {
        faults.fail(.rows)
        try expect(ada["age"] == nil, "the value reads as nil")
        faults.fail(.rows)
        try expectError(FaultSwitch.error.code, "a refresh that fails") {
          try context.refresh(ada, mergeChanges: merges)
        }
        try expectRefused(context, naming: ada)
        try context.refresh(ada, mergeChanges: merges)
        try expect(context.readError == nil, "nothing is wrong after the refresh")
        try expectExact(try ada.get("age"), .integer(36), "the value")
        try context.refresh(ada, mergeChanges: false)
      }
      faults.fail(.rows)
      try expect(ada["age"] == nil, "the value reads as nil again")
      try context.refreshAllObjects()
      try context.save()
    },
    failing("reset", "a reset takes the failure away (B361)") { _, context, faults in
      let ada = try context.named("Person", "Ada")
      try context.refresh(ada, mergeChanges: false)
      faults.fail(.rows)
      try expect(ada["age"] == nil, "the value reads as nil")
      context.reset()
      try expect(context.readError == nil, "nothing is wrong after the reset")
      try context.save()
    },
    failing("handler", "who asks is told of each failure when it happens (B361)") {
      _, context, faults in
      let ada = try context.named("Person", "Ada")
      try context.refresh(ada, mergeChanges: false)
      let told = Mutex<[ObjectID]>([])
      context.onReadError = { error in told.withLock { $0 += error.objectIDs } }
      faults.fail(.rows)
      _ = ada["age"]
      try expectEqual(told.withLock { $0 }, [ada.objectID], "the objects that were told")
      context.onReadError = nil
    },
    failing("thrown", "who can be told is told, and the context is none the worse (B361)") {
      _, context, faults in
      let research = try context.named("Department", "Research")
      let ada = try context.named("Person", "Ada")
      try context.refresh(ada, mergeChanges: false)
      let reads: [(String, StoreCall, () throws -> Void)] = [
        ("a value", .rows, { _ = try ada.value(forKey: "age") }),
        ("a destination", .rows, { _ = try ada.value(forKey: "department") }),
        ("destinations", .destinations, { _ = try research.value(forKey: "people") }),
        ("IDs", .destinations, { _ = try research.objectIDs(forRelationshipNamed: "people") }),
        ("a sum", .destinations, { _ = try research.value(forKeyPath: "people.@sum.age") }),
        ("a number", .fetch, { _ = try research.value(forKeyPath: "people.@count") }),
        ("a setter", .rows, { try ada.setValue(1, forKey: "age") }),
        ("a condition", .rows, { _ = try FetchPredicate("age > 3").evaluate(with: ada) }),
      ]
      for (name, call, read) in reads {
        faults.fail(call)
        try expectError(FaultSwitch.error.code, name) { try read() }
        try expect(context.readError == nil && !context.hasChanges, "\(name) leaves nothing behind")
      }
      try expectExact(try ada.get("age"), .integer(36), "the value")
      try context.save()
    },
  ]

  private static let failedChanges: [ConformanceCase] = [
    failing("setter", "what could not be read cannot be set from what it read as (B361)") {
      stack, context, faults in
      let ada = try context.named("Person", "Ada")
      try context.refresh(ada, mergeChanges: false)
      faults.fail(.rows)
      ada["age"] = (ada["age"] as? Int ?? 0) + 1
      let research = try context.named("Department", "Research")
      faults.fail(.destinations)
      let known = research["people"] as? Set<ManagedObject> ?? []
      research["people"] = known.union([try context.named("Person", "Eve")])
      try expectError(.readFailed, "the save") { try context.save() }
      try context.refresh(ada, mergeChanges: true)
      try context.refresh(research, mergeChanges: true)
      try context.save()
      let fresh = stack.makeContext()
      try withExtendedLifetime(fresh) {
        try expectExact(try fresh.named("Person", "Ada").get("age"), .integer(36), "the age")
        try expectEqual(try fresh.named("Department", "Research").names("people"), ["Ada", "Bob"])
      }
    },
    failing("both-sides", "a relationship is changed on both sides or on none (B65, B361)") {
      _, context, faults in
      let (research, sales) = (
        try context.named("Department", "Research"), try context.named("Department", "Sales")
      )
      let ada = try context.named("Person", "Ada")
      try expectEqual(try research.many("people").count, 2, "the members before")
      _ = try sales.many("people")
      try context.refresh(ada, mergeChanges: false)
      faults.fail(.rows)
      try sales.mutableSetValue(forKey: "people").insert(ada)
      try expect(!context.hasChanges, "nothing is changed")
      try expectRefused(context, naming: ada)
      try context.refresh(ada, mergeChanges: true)
      try sales.mutableSetValue(forKey: "people").insert(ada)
      try expectEqual(try research.names("people"), ["Bob"], "who is left")
      try expectEqual(try sales.names("people"), ["Ada", "Cleo", "Dan"], "who is there")
      try context.save()
    },
    failing(
      "deletion", "delete rules that cannot be applied wait, and the context says so (B84, B361)"
    ) {
      stack, context, faults in
      let research = try context.named("Department", "Research")
      context.delete(research)
      faults.fail(.destinations)
      context.processPendingChanges()
      try expect(context.readError != nil, "the context says that they wait")
      try context.save()
      try expect(context.readError == nil, "nothing waits after the save")
      let fresh = stack.makeContext()
      try withExtendedLifetime(fresh) {
        try expect(try fresh.named("Person", "Ada").one("department") == nil, "the rule")
      }
    },
    failing(
      "validation", "a rule that cannot be judged ends the save, which can be tried again (B171)"
    ) {
      _, context, faults in
      let ada = try context.named("Person", "Ada")
      try context.named("Department", "Research").set("name", "Labs")
      context.delete(ada)
      faults.fail(.destinations)
      try expectError(FaultSwitch.error.code, "the first attempt") {
        context.propagatesDeletesAtEndOfEvent = false
        try context.save()
      }
      try context.save()
      try expect(context.readError == nil, "nothing is wrong")
    },
    failing("undo", "an undo that cannot read changes nothing (B110, B361)") {
      _, context, faults in
      context.undoManager = ChangeUndoManager()
      let ada = try context.named("Person", "Ada")
      let bob = try context.named("Person", "Bob")
      try ada.set("age", 1)
      try bob.set("age", 2)
      context.processPendingChanges()
      try context.save()
      try context.refresh(bob, mergeChanges: false)
      faults.fail(.rows)
      context.undo()
      try expectExact(try ada.get("age"), .integer(1), "what the undo would have changed")
      try expectError(.readFailed, "the save") { try context.save() }
      try context.refresh(bob, mergeChanges: true)
      context.undo()
      try expectExact(try ada.get("age"), .integer(36), "what the second attempt has changed")
      try expectExact(try bob.get("age"), .integer(25), "and here")
      try context.refresh(bob, mergeChanges: true)
      faults.fail(.rows)
      try context.save()
      try context.refresh(bob, mergeChanges: false)
      context.redo()
      try expectExact(try ada.get("age"), .integer(36), "what the redo would have changed")
      faults.clear()
      try context.refresh(bob, mergeChanges: true)
      context.redo()
      try expectExact(try ada.get("age"), .integer(1), "what the second redo has changed")
    },
    failing("undo-order", "the next undo is that of the event that could not be read (B110, B361)")
    {
      _, context, faults in
      context.undoManager = ChangeUndoManager()
      let ada = try context.named("Person", "Ada")
      for age in [1, 2] {
        try ada.set("age", age)
        context.processPendingChanges()
      }
      try context.save()
      try context.refresh(ada, mergeChanges: false)
      faults.fail(.rows)
      context.undo()
      try context.refresh(ada, mergeChanges: true)
      for age in [1, 36] {
        context.undo()
        try expectExact(try ada.get("age"), .integer(Int64(age)))
      }
      for age in [1, 2] {
        context.redo()
        try expectExact(try ada.get("age"), .integer(Int64(age)))
      }
    },
  ]

  private static let failedElsewhere: [ConformanceCase] = [
    failing("child", "a child's failed read refuses the child's save and no other (B361)") {
      _, context, faults in
      let child = ManagedObjectContext(.privateQueue, parent: context)
      let id = try context.named("Department", "Research").objectID
      let research = child.object(with: id)
      faults.fail(.destinations)
      _ = research["people"]
      try expectError(.readFailed, "the child's save") { try child.save() }
      try expect(context.readError == nil, "the parent has no failure")
      try context.save()
      try child.refresh(research, mergeChanges: true)
      try expectEqual(try research.names("people"), ["Ada", "Bob"], "the members")
      try child.save()
    },
    failing("batches", "a batch that cannot be read is a failure of its objects (B126, B361)") {
      _, context, faults in
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.fetchBatchSize = 2
      let people = try context.fetchBatches(request)
      faults.fail(.rows)
      let first = people[0]
      try expect(first.isFault, "the object is a fault")
      try expectError(.readFailed, "the save") { try context.save() }
      try expectEqual(context.readError?.objectIDs.count, 2, "the objects of the batch")
      try context.refreshAllObjects()
      try context.save()
    },
    failing("merging", "objects that cannot be read anew are named (B213, B361)") {
      stack, context, faults in
      let ada = try context.named("Person", "Ada")
      _ = try ada.get("age")
      let other = stack.makeContext()
      try other.named("Person", "Ada").set("age", 99)
      try other.save()
      var changes = ManagedObjectContext.ObjectIDChanges()
      changes.updatedObjectIDs = [ada.objectID]
      faults.fail(.rows)
      context.mergeChanges(changes)
      try expectRefused(context, naming: ada)
      try context.refresh(ada, mergeChanges: true)
      try expectExact(try ada.get("age"), .integer(99), "the value")
      try context.save()
    },
  ]
}
