// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Resolves all conflicts, and then makes the save fail.
final class RegrettingPolicy: MergePolicy, @unchecked Sendable {
  // Sendable: it has no state of its own.
  override func resolve(mergeConflicts list: [any SaveConflict]) throws {
    try super.resolve(mergeConflicts: list)
    throw PersistenceError(.forbiddenByPolicy, "On second thoughts.")
  }
}

// Saves that fail after a policy has merged: the effects of the merge must be undone.
extension MergePolicyCases {
  static let failures: [ConformanceCase] = [
    two(
      "failed-merge", "a save that fails after a merge leaves the objects as they were (B171)",
      RegrettingPolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    ) { stack, context, other in
      let mine = try context.named("Person", "Ada")
      let sales = try context.named("Department", "Sales")
      let research = try context.named("Department", "Research")
      try mine.set("department", sales)
      try mine.add(try context.named("Project", "Idle"), to: "projects")
      try other.named("Person", "Ada").set("department", try other.named("Department", "Void"))
      _ = try change(context, other)
      func state() throws -> [String] {
        [
          try line(mine), try mine.one("department")?.text("name") ?? "-",
          "\(try mine.names("projects")) \(try sales.names("people"))",
          "\(try research.names("people")) \(mine.changedValues().keys.sorted())",
          "\(try mine.committedValues(forKeys: ["age", "note"]).keys.sorted())",
          "\(context.updatedObjects.count) \(context.insertedObjects) \(context.deletedObjects)",
        ]
      }
      let before = try state()
      try expectEqual(before.first, "40 100.0 mine")
      try expectError(.forbiddenByPolicy) { try context.save() }
      try expectEqual(try state(), before, "the objects after the save")
      context.mergePolicy = .mergeByPropertyStoreTrump
      try context.save()
      try expectEqual(try stored(stack), "50 7.0 mine")
      try expectEqual(try mine.one("department")?.text("name"), "Void", "the department")
      try expectEqual(try mine.names("projects"), ["Engine", "Idle", "Notes"])
    },
    two(
      "failed-deletions", "deletions are as they were after a save that fails (B171)",
      RegrettingPolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    ) { stack, context, other in
      let ada = try context.named("Person", "Ada")
      let bob = try context.named("Person", "Bob")
      let cleo = try context.named("Person", "Cleo")
      try expectEqual(try ada.names("reports"), ["Bob", "Cleo"])
      try bob.set("age", 26)
      context.delete(cleo)
      context.processPendingChanges()
      other.delete(try other.named("Person", "Bob"))
      try other.named("Person", "Cleo").set("age", 3)
      try other.save()
      try expectError(.forbiddenByPolicy) { try context.save() }
      try expect(cleo.isDeleted && !bob.isDeleted && bob.isUpdated, "the marks are as they were")
      try expectEqual(context.deletedObjects, [cleo])
      try expectEqual(try ada.names("reports"), ["Bob"])
      try expectEqual(try bob.number("age"), 26)
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      try expectEqual(try stack.makeContext().names("Person"), ["Ada", "Bob", "Dan", "Eve"])
    },
  ]
}
