// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// All or nothing, versions, the order of events.
enum SavingCases {
  static let all: [ConformanceCase] =
    changes + versions + failures + attempts + cancelling + events + sequence + order
    + refusedOrders

  private static func company(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.saving, name, title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      try body(stack)
    }
  }

  private static let changes: [ConformanceCase] = [
    company("clean", "after a save nothing is changed (B167)") { stack in
      let context = stack.context
      let ada = try context.named("Person", "Ada")
      try ada.set("age", 40)
      try expect(ada.hasChanges && context.hasChanges, "there are changes before")
      try expectEqual(whole(ada.changedValues()["age"]), 40, "the changed value (B56)")
      try context.save()
      try expect(!ada.hasChanges && !context.hasChanges, "there are none afterwards")
      try expect(ada.changedValues().isEmpty, "no value is changed")
      let committed = try ada.committedValues(forKeys: ["age"])
      try expectEqual(whole(committed["age"]), 40, "the committed value")
    },
    company("committed", "committed values are those of the last save (B58)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      try ada.set("age", 40)
      let before = try ada.committedValues(forKeys: ["age", "note"])
      try expectEqual(whole(before["age"]), 36, "the committed age")
      try expect(before["note"] is NSNull, "nil is NSNull")
    },
    company(
      "rollback", "a rollback brings committed values back, without a request (B114)"
    ) { stack in
      let context = stack.context
      let ada = try context.named("Person", "Ada")
      try ada.set("age", 40)
      try ada.set("department", nil)
      let zoe = try context.make("Person", ["name": "Zoe"])
      let bob = try context.named("Person", "Bob")
      context.delete(bob)
      let before = stack.coordinator.counters.roundTrips
      context.rollback()
      try expectEqual(try ada.number("age"), 36)
      try expectEqual(stack.coordinator.counters.roundTrips - before, 0, "the round trips")
      try expect(!context.hasChanges, "nothing is changed")
      try expect(zoe.managedObjectContext == nil, "the new object has left")
      try expect(!bob.isDeleted, "the deletion is cancelled")
      try expectEqual(try ada.one("department")?.text("name"), "Research")
      try expectEqual(try context.named("Department", "Research").names("people"), ["Ada", "Bob"])
    },
    company("reset", "a reset forgets everything (B115)") { stack in
      let context = stack.context
      let ada = try context.named("Person", "Ada")
      try ada.set("age", 40)
      context.reset()
      try expect(!context.hasChanges, "nothing is changed")
      try expect(context.registeredObjects.isEmpty, "nothing is registered")
      try expect(ada.managedObjectContext == nil, "the object has no context")
      let again = try context.named("Person", "Ada")
      try expect(again !== ada, "there is a new object")
      try expectEqual(try again.number("age"), 36)
    },
    company("refresh", "refresh without merging drops changes (B46)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      try ada.set("age", 40)
      try stack.context.refresh(ada, mergeChanges: false)
      try expect(ada.isFault, "it is a fault")
      try expect(!stack.context.hasChanges, "nothing is changed")
      try expectEqual(try ada.number("age"), 36)
    },
    company(
      "refresh-merging", "refresh with merging lays changes over new values (B116)"
    ) { stack in
      let ada = try stack.context.named("Person", "Ada")
      try ada.set("age", 40)
      let other = stack.makeContext()
      let again = try other.named("Person", "Ada")
      try again.set("salary", 7)
      try again.set("age", 99)
      try other.save()
      try stack.context.refresh(ada, mergeChanges: true)
      try expectEqual(try ada.number("age"), 40, "the changed value")
      try expectExact(try ada.get("salary"), .double(7), "the other value")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Person", "Ada").number("age"), 40)
      try expectExact(try stack.context.named("Person", "Ada").get("salary"), .double(7))
    },
    company(
      "refresh-unsaved", "a refresh keeps an unsaved object, its values if asked (B119, B344)"
    ) {
      stack in
      let zoe = try stack.context.make("Person", ["name": "Nobody", "age": 4])
      try stack.context.refresh(zoe, mergeChanges: false)
      try expect(zoe.isFault && zoe.isInserted, "it is a fault that will be inserted")
      try expectEqual(try zoe.number("age"), nil, "the value is dropped")
      for (key, value) in ["name": "Zoe", "age": 3] as [String: Any] { try zoe.set(key, value) }
      try stack.context.refresh(zoe, mergeChanges: true)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Person", "Zoe").number("age"), 3)
    },
    company(
      "inserted-stays-inserted", "a new object that is changed is only inserted (B61)"
    ) { stack in
      let zoe = try stack.context.make("Person", ["name": "Zoe"])
      try zoe.set("age", 3)
      try expectEqual(stack.context.insertedObjects, [zoe])
      try expect(stack.context.updatedObjects.isEmpty, "nothing is updated")
    },
  ]

  private static let versions: [ConformanceCase] = [
    company("version", "a version begins with 1 and grows by 1 a save (B173)") { stack in
      let ada = try stack.context.make("Person", ["name": "Zoe"])
      try stack.context.save()
      for wanted in 1...4 {
        try expectEqual(try stack.version(of: ada), Int64(wanted), "the version")
        try ada.set("age", wanted)
        try ada.set("salary", Double(wanted))
        try stack.context.save()
      }
    },
    company("version-untouched", "a save leaves the versions of others (B173)") { stack in
      try stack.context.named("Person", "Ada").set("age", 1)
      try stack.context.save()
      try expectEqual(try stack.version(of: try stack.context.named("Person", "Ada")), 2)
      for name in ["Bob", "Cleo", "Dan", "Eve"] {
        try expectEqual(try stack.version(of: try stack.context.named("Person", name)), 1, name)
      }
      let research = try stack.context.named("Department", "Research")
      try expectEqual(try stack.version(of: research), 1, "the department's")
    },
    company("equal-value", "setting an equal value writes nothing (B55)") { stack in
      let ada = try stack.context.named("Person", "Ada")
      try ada.set("age", 36)
      try expect(ada.hasChanges, "the object counts as changed")
      try expect(!ada.hasPersistentChangedValues, "no value differs")
      try expect(ada.changedValues().isEmpty, "no value is listed")
      try stack.context.save()
      try expectEqual(try stack.version(of: ada), 1, "the version")
      try expect(!stack.context.hasChanges, "the context is clean")
    },
    company(
      "equal-value-beside", "an object that is not written keeps its version for later (B55, B173)"
    ) {
      stack in
      let (ada, bob) = (
        try stack.context.named("Person", "Ada"), try stack.context.named("Person", "Bob")
      )
      try ada.set("age", 36)
      try bob.set("age", 26)
      try stack.context.save()
      try ada.set("age", 37)
      try stack.context.save()
      try expectEqual(try stack.version(of: ada), 2, "the version")
    },
    company("no-changes", "a save without changes asks no store (B104)") { stack in
      _ = try stack.context.named("Person", "Ada").get("age")
      let before = stack.coordinator.counters
      try stack.context.save()
      try expectEqual(stack.coordinator.counters.roundTrips, before.roundTrips, "the round trips")
    },
    company("one-commit", "a save is one commit, however many objects it has (B169)") { stack in
      for index in 0..<200 { try stack.context.make("Person", ["name": "\(index)"]) }
      let before = stack.coordinator.counters.commits
      try stack.context.save()
      try expectEqual(stack.coordinator.counters.commits - before, 1, "the commits")
    },
    company("key-blocks", "keys of many new objects are reserved together (B172)") { stack in
      for index in 0..<1000 { try stack.context.make("Person", ["name": "\(index)"]) }
      let before = stack.coordinator.counters.reservations
      try stack.context.save()
      try expect(
        stack.coordinator.counters.reservations - before <= 1, "there is one reservation at most")
    },
  ]

  static func faulty(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, FaultSwitch) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.saving, name, title) { stage in
      let (stack, faults) = try stage.openFaulty(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      try body(stack, faults)
      faults.clear()
    }
  }

  private static let failures: [ConformanceCase] = [
    faulty(
      "failed-commit", "a failed commit keeps all changes; a retry works (B171)"
    ) { stack, faults in
      let context = stack.context
      let ada = try context.named("Person", "Ada")
      let bob = try context.named("Person", "Bob")
      try ada.set("age", 40)
      context.delete(bob)
      let zoe = try context.make("Person", ["name": "Zoe", "manager": ada])
      faults.fail(.commit)
      try expectError(.persistentStoreOperation, "the save") { try context.save() }
      try expect(ada.isUpdated && bob.isDeleted && zoe.isInserted, "the changes are pending")
      try expect(zoe.objectID.isTemporaryID, "the new object's ID is temporary")
      try expectEqual(try stack.makeContext().names("Person").count, 5, "what is in the store")
      try context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Person"), ["Ada", "Cleo", "Dan", "Eve", "Zoe"])
      try expectEqual(try stack.context.named("Person", "Ada").number("age"), 40)
      try expectEqual(try stack.context.named("Person", "Zoe").one("manager")?.text("name"), "Ada")
    },
    faulty("failed-commit-rollback", "after a failed commit a rollback works (B114, B171)") {
      stack, faults in
      let context = stack.context
      let ada = try context.named("Person", "Ada")
      try ada.set("age", 40)
      try context.make("Person", ["name": "Zoe"])
      faults.fail(.commit)
      try expectError(.persistentStoreOperation) { try context.save() }
      context.rollback()
      try expectEqual(try ada.number("age"), 36)
      try expect(!context.hasChanges, "nothing is changed")
      try expectEqual(try context.names("Person").count, 5)
    },
    faulty("failed-reservation", "a failed reservation of keys keeps all changes (B171)") {
      stack, faults in
      let context = stack.context
      for index in 0..<50 { try context.make("Person", ["name": "\(index)"]) }
      faults.fail(.reserve)
      try expectError(.persistentStoreOperation) { try context.save() }
      try expectEqual(context.insertedObjects.count, 50, "what is pending")
      try context.save()
      try expectEqual(try stack.makeContext().names("Person").count, 55)
    },
    faulty(
      "failed-fetch", "a failed fetch throws, and the next one works (B171)"
    ) { stack, faults in
      faults.fail(.fetch)
      try expectError(.persistentStoreOperation) { _ = try stack.context.names("Person") }
      try expectEqual(try stack.context.names("Person").count, 5)
    },
    faulty(
      "failed-fault", "a fault that cannot be read reads nil; every save says why (B43, B44, B361)"
    ) {
      stack, faults in
      let id = try stack.context.named("Person", "Ada").objectID
      try stack.readAnew()
      let ada = stack.context.object(with: id)
      faults.fail(.rows)
      try expect(ada["age"] == nil, "the value reads as nil")
      try expectError(.readFailed, "the next save") { try stack.context.save() }
      try expectExact(try ada.get("age"), .integer(36), "the value when the store answers again")
      try expectError(.readFailed, "every other save") { try stack.context.save() }
      stack.context.rollback()
      try stack.context.save()
    },
    faulty("failed-relationship", "a relationship that cannot be read loses nothing (B171, B361)") {
      stack, faults in
      let research = try stack.context.named("Department", "Research")
      faults.fail(.destinations)
      try expect(research["people"] == nil, "the relationship reads as nothing")
      try expectError(.readFailed, "the next save") { try stack.context.save() }
      try expectEqual(try research.names("people"), ["Ada", "Bob"])
      try stack.context.refresh(research, mergeChanges: true)
      try stack.context.save()
    },
  ]
}
