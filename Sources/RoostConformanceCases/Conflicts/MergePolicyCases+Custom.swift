// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Custom merge policies, objects that are only watched for conflicts, and the content of a conflict.
extension MergePolicyCases {
  /// Adds the ages.
  private final class AddingPolicy: MergePolicy, @unchecked Sendable {
    // Sendable: it has no state of its own.

    override func resolve(optimisticLockingConflicts list: [MergeConflict]) throws {
      for conflict in list {
        let values = [
          conflict.objectSnapshot, conflict.cachedSnapshot, conflict.persistedSnapshot,
        ].map { $0.flatMap { whole($0["age"]) } }
        guard let old = values[0], let new = values[2] ?? values[1],
          let mine = try conflict.sourceObject.number("age")
        else { continue }
        try conflict.sourceObject.set("age", mine + new - old)
      }
      try super.resolve(optimisticLockingConflicts: list)
    }
  }

  /// Leaves the conflicts to the next policy.
  private final class SilentPolicy: MergePolicy, @unchecked Sendable {
    // Sendable: it has no state of its own.

    override func resolve(mergeConflicts list: [any SaveConflict]) throws {}
  }

  static let policies: [ConformanceCase] = [
    two(
      "subclass", "a subclass resolves conflicts by its own rule (B186)",
      AddingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    ) { stack, context, other in
      let mine = try context.named("Person", "Ada")
      try mine.set("age", 40)
      try other.named("Person", "Ada").set("age", 46)
      try other.save()
      try context.save()
      try expectEqual(try mine.number("age"), 50, "36 + 4 + 10")
      try expectEqual(try stored(stack), "50 100.0 -")
    },
    two(
      "closure", "a closure chooses a policy for each conflict (B186)",
      MergePolicy { conflict in
        conflict.objects.first?.entity.name == "Person"
          ? .mergeByPropertyStoreTrumpMergePolicyType : .overwriteMergePolicyType
      }
    ) { stack, context, other in
      let mine = try change(context, other)
      try context.save()
      try expectEqual(try line(mine), "50 7.0 mine")
    },
    two(
      "closure-error", "what a closure throws ends the save, and nothing is written (B178)",
      MergePolicy { _ in throw PersistenceError(.forbiddenByPolicy, "Not today.") }
    ) { stack, context, other in
      let mine = try change(context, other)
      try expectError(.forbiddenByPolicy) { try context.save() }
      try expectEqual(try stored(stack), "50 7.0 -")
      try expectEqual(try line(mine), "40 100.0 mine", "the object")
    },
    two(
      "left-alone", "a conflict that a policy leaves alone keeps the object's values (B186)",
      SilentPolicy(merge: .errorMergePolicyType)
    ) { stack, context, other in
      _ = try change(context, other)
      try context.save()
      try expectEqual(try stored(stack), "40 7.0 mine")
    },
  ]

  static let detection: [ConformanceCase] = [
    two("locked", "an object that is only watched is compared, and its version grows (B174, B176)")
    {
      stack, context, _ in
      let ada = try context.named("Person", "Ada")
      try context.named("Person", "Bob").set("age", 1)
      context.detectConflicts(for: ada)
      try context.save()
      try expectEqual(try stack.version(of: ada), 2, "the version of what was watched")
      try ada.set("age", 2)
      try context.save()
      try expectEqual(try stack.version(of: ada), 3, "the version after a change")
      try expectEqual(try stored(stack), "2 100.0 -")
    },
    two("locked-alone", "a save that only watches compares, too (B174)", .error) {
      stack, context, other in
      let ada = try context.named("Person", "Ada")
      context.detectConflicts(for: ada)
      try other.named("Person", "Ada").set("age", 1)
      try other.save()
      try expectError(.managedObjectMerge) { try context.save() }
      context.rollback()
      try context.save()
      try expectEqual(try stack.version(of: ada), 2, "the version")
    },
    two("locked-conflict", "a watched object that was changed is a conflict (B176)", .error) {
      stack, context, other in
      let ada = try context.named("Person", "Ada")
      _ = try ada.get("age")
      try context.named("Person", "Bob").set("age", 1)
      context.detectConflicts(for: ada)
      try other.named("Person", "Ada").set("age", 50)
      try other.save()
      let error = try expectError(.managedObjectMerge) { try context.save() }
      try expectEqual(error.objectIDs, [ada.objectID])
      try expectEqual(try stack.storedNumber("age", ofPerson: "Bob"), 25)
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      try expectEqual(try ada.number("age"), 50, "the value that the other wrote")
      try expectEqual(try stack.storedNumber("age", ofPerson: "Bob"), 1)
    },
    two("unwatched", "an object that is not watched is not compared (B176)", .error) {
      _, context, other in
      _ = try context.named("Person", "Ada").get("age")
      try context.named("Person", "Bob").set("age", 1)
      try other.named("Person", "Ada").set("age", 50)
      try other.save()
      try context.save()
    },
  ]

  static let reports: [ConformanceCase] = [
    two("report", "a conflict shows versions and snapshots of both sides (B177, B178)", .error) {
      _, context, other in
      let mine = try change(context, other)
      let error = try expectError(.managedObjectMerge) { try context.save() }
      let conflicts = error.conflicts(in: context)
      try expectEqual(conflicts.count, 1, "the conflicts")
      let conflict = try require(conflicts[0] as? MergeConflict)
      try expect(conflict.sourceObject === mine, "the object of the conflict")
      try expectEqual(conflict.oldVersionNumber, 1, "the old version")
      try expectEqual(conflict.newVersionNumber, 2, "the new version")
      try expectEqual(whole(conflict.objectSnapshot?["age"]), 36, "the age that was read")
      try expectEqual(whole(conflict.cachedSnapshot?["age"]), 50, "the age in the cache")
      try expect(conflict.persistedSnapshot == nil, "the cache knows what the store has")
      try expect(conflict.objectSnapshot?["note"] is NSNull, "nil is NSNull")
      try expectEqual(
        conflict.objectSnapshot?["department"] as? ObjectID,
        try context.named("Department", "Research").objectID, "a to-one destination is an ID")
      try expect(conflict.objectSnapshot?["projects"] == nil, "to-many is left out")
    },
    two("report-deleted", "version 0 says that the record is gone (B177)", .error) {
      _, context, other in
      try context.named("Person", "Eve").set("age", 1)
      other.delete(try other.named("Person", "Eve"))
      try other.save()
      let error = try expectError(.managedObjectMerge) { try context.save() }
      let conflict = try require(error.conflicts(in: context).first as? MergeConflict)
      try expectEqual(conflict.newVersionNumber, 0, "the new version")
      try expect(conflict.persistedSnapshot == nil, "there is no row")
    },
  ]
}
