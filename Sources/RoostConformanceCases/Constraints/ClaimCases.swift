// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Saves in which several objects claim one value that no other record keeps: the first object by ID has it, whichever
/// of them a store writes first.
enum ClaimCases {
  static let all: [ConformanceCase] = [
    claims("parked", "the value of a record that gets another one in the same save") { stack in
      let context = stack.context
      let contacts = try ["x", "a", "y"].map { email in
        let contact = try context.make("Contact", ["email": email])
        try context.save()
        return contact
      }
      return {
        try contacts[0].set("email", "a")
        try contacts[1].set("email", "c")
        try contacts[2].set("email", "a")
        return (contacts[0], contacts[2])
      }
    },
    claims("inserted-first", "a new object whose ID is lower than that of a changed one") { stack in
      let context = stack.context
      let new = try context.make("Contact", ["email": "a"])
      try context.obtainPermanentIDs(for: [new])
      let other = stack.makeContext()
      let stored = try other.make("Contact", ["email": "y"])
      try other.save()
      return {
        let changed = context.object(with: stored.objectID)
        try changed.set("email", "a")
        return (new, changed)
      }
    },
    claims("subentities", "a new object whose entity comes after that of a later one") { stack in
      let context = stack.context
      return {
        let second = try context.make("Supplier", ["email": "a"])
        let first = try context.make("Customer", ["email": "a"])
        try context.obtainPermanentIDs(for: [first, second])
        return (first, second)
      }
    },
  ]

  private static func makeModel() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Contact", [.string("email"), .string("name")], unique: [["email"]])
    sketch.add("Customer", [], parent: "Contact")
    sketch.add("Supplier", [], parent: "Contact")
    return sketch.make()
  }

  /// - Parameter prepare: Stores records, and returns a function that makes two objects claim the value *a*.
  private static func claims(
    _ name: String, _ words: String,
    _ prepare:
      @escaping @Sendable (ConformanceStack) throws
      -> (() throws -> (ManagedObject, ManagedObject))
  ) -> ConformanceCase {
    ConformanceCase(
      .constraints, "claims-\(name)",
      "two objects that claim one value are in conflict with each other: \(words) (B192, B193)",
      needs: [.uniqueness]
    ) { stage in
      let stack = try stage.open(makeModel())
      let context = stack.context
      let (first, second) = try prepare(stack)()
      let error = try expectError(.managedObjectConstraintMerge, "the save") { try context.save() }
      try expectEqual(error.key, "email", "the error's key")
      try expect(context.hasChanges, "the changes stay")
      guard first.entity === second.entity else {
        // Objects of two entities cannot become one record.
        try second.set("email", "b")
        return try context.save()
      }
      try first.set("name", "first")
      try second.set("name", "second")
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      try expect(!context.hasChanges, "everything is saved")
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      try withExtendedLifetime(fresh) {
        let left = try fresh.all("Contact").filter { try $0.text("email") == "a" }
        try expectEqual(left.count, 1, "the number of records with the value")
      }
    }
  }
}
