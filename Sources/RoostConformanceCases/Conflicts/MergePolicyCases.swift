// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Two contexts that change one record: the policies that resolve that.
enum MergePolicyCases {
  static let all: [ConformanceCase] =
    updates + deletions + relationships + policies + failures + detection + reports
    + lateRelatives

  /// A case with two contexts that have read the company; the first one resolves conflicts.
  static func two(
    _ name: String, _ title: String, _ policy: MergePolicy = .mergeByPropertyObjectTrump,
    _ body:
      @escaping @Sendable (ConformanceStack, ManagedObjectContext, ManagedObjectContext)
      throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.conflicts, "policy-\(name)", title) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      let other = stack.makeContext()
      stack.context.mergePolicy = policy
      try body(stack, stack.context, other)
    }
  }

  /// Ada's age, salary and note in the store.
  static func stored(_ stack: ConformanceStack) throws -> String {
    let fresh = stack.makeContext()
    fresh.stalenessInterval = 0
    return try line(try fresh.named("Person", "Ada"))
  }

  static func line(_ ada: ManagedObject) throws -> String {
    "\(try ada.number("age") ?? -1) \(try ada.get("salary")) \(try ada.text("note") ?? "-")"
  }

  /// Makes conflicting changes: both sides change the age, the other one the salary, this one the note.
  static func change(
    _ context: ManagedObjectContext, _ other: ManagedObjectContext
  ) throws -> ManagedObject {
    let mine = try context.named("Person", "Ada")
    try mine.set("age", 40)
    try mine.set("note", "mine")
    let theirs = try other.named("Person", "Ada")
    try theirs.set("age", 50)
    try theirs.set("salary", 7.0)
    try other.save()
    return mine
  }

  private static func merging(
    _ name: String, _ title: String, _ policy: MergePolicy, _ wanted: String, version: Int64 = 3
  ) -> ConformanceCase {
    two(name, title, policy) { stack, context, other in
      let mine = try change(context, other)
      try context.save()
      try expect(!context.hasChanges, "nothing is pending after the save (B167)")
      try expectEqual(try line(mine), wanted, "the object")
      try expectEqual(try stored(stack), wanted, "the record")
      try expectEqual(try stack.version(of: mine), version, "the version (B173)")
      try mine.set("age", 60)
      try context.save()
      try expectEqual(try stack.version(of: mine), version + 1, "the version of the next save")
    }
  }

  private static let updates: [ConformanceCase] = [
    merging(
      "store-trump", "where both changed a value the store's stands (B179, B187)",
      .mergeByPropertyStoreTrump, "50 7.0 mine"),
    merging(
      "object-trump", "where both changed a value the object's stands (B180, B187)",
      .mergeByPropertyObjectTrump, "40 7.0 mine"),
    merging(
      "overwrite", "the whole object replaces the record (B181)", .overwrite,
      "40 100.0 mine"),
    merging(
      "rollback", "the changes of an object in conflict are dropped (B182)", .rollback,
      "50 7.0 -", version: 2),
    two("rollback-others", "objects without conflict are saved all the same (B182)", .rollback) {
      stack, context, other in
      _ = try change(context, other)
      try context.named("Person", "Bob").set("age", 99)
      try context.save()
      let fresh = stack.makeContext()
      try expectEqual(try fresh.named("Person", "Bob").number("age"), 99)
      try expectEqual(try stored(stack), "50 7.0 -")
    },
    two("both-survive", "changes of different properties both survive (B188)") {
      stack, context, other in
      try context.named("Person", "Ada").set("age", 40)
      try other.named("Person", "Ada").set("note", "theirs")
      other.mergePolicy = .mergeByPropertyStoreTrump
      try context.save()
      try other.save()
      try expectEqual(try stored(stack), "40 100.0 theirs")
    },
    two("equal-value", "a value that was set and is the same is no change (B55, B180)") {
      stack, context, other in
      let mine = try context.named("Person", "Ada")
      try mine.set("age", 36)
      try mine.set("note", "mine")
      try other.named("Person", "Ada").set("age", 50)
      try other.save()
      try context.save()
      try expectEqual(try stored(stack), "50 100.0 mine")
    },
    two("error-keeps", "the error policy leaves everything as it is (B178)", .error) {
      stack, context, other in
      let mine = try change(context, other)
      try expectError(.managedObjectMerge, "the save") { try context.save() }
      try expectEqual(try line(mine), "40 100.0 mine", "the object")
      try expectEqual(try stored(stack), "50 7.0 -", "the record")
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      try expectEqual(try stored(stack), "40 7.0 mine", "the record after another try")
    },
    two("many", "all conflicts of a save are resolved together (B178, B187)") {
      stack, context, other in
      for name in ["Ada", "Bob", "Cleo", "Dan", "Eve"] {
        try context.named("Person", name).set("note", "mine")
        try other.named("Person", name).set("age", 1)
      }
      try other.save()
      let commits = stack.coordinator.counters.commits
      try context.save()
      try expect(
        stack.coordinator.counters.commits - commits <= 6, "the commits are at most one a conflict")
      let fresh = stack.makeContext()
      try expectEqual(try fresh.all("Person", "age == 1 AND note == 'mine'").count, 5)
    },
    ConformanceCase(
      .conflicts, "policy-two-coordinators",
      "a conflict with a record that the cache does not know is resolved (B175, B177)",
      needs: [.secondHandle]
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      let other = try stage.open(stack.model, on: stack.stores)
      let mine = try stack.context.named("Person", "Ada")
      try mine.set("age", 40)
      try other.context.named("Person", "Ada").set("note", "theirs")
      try other.context.save()
      let error = try expectError(.managedObjectMerge) { try stack.context.save() }
      let conflict = try require(error.conflicts(in: stack.context).first as? MergeConflict)
      try expectEqual(
        conflict.persistedSnapshot?["note"] as? String, "theirs", "the persisted snapshot")
      try expect(conflict.cachedSnapshot?["note"] is NSNull, "the cache has the old row")
      stack.context.mergePolicy = .mergeByPropertyObjectTrump
      try stack.context.save()
      try expectEqual(try stored(stack), "40 100.0 theirs")
    },
  ]
}
