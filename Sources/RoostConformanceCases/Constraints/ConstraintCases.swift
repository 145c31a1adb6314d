// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Values that must be unique.
enum ConstraintCases {
  private static func unique(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.constraints, name, title, needs: [.uniqueness]) { stage in
      try body(try stage.open(UniqueModel.make()))
    }
  }

  /// Expects that a save is refused because of a constraint, and that the store is as it was.
  private static func expectDuplicate(
    _ stack: ConformanceStack, entity: String = "Account", key: String
  ) throws {
    let before = try stack.makeContext().names("Account")
    let error = try expectError(.managedObjectConstraintMerge, "the save") {
      try stack.context.save()
    }
    try expectEqual(error.key, key, "the error's key")
    try expectEqual(error.entityName, entity, "the error's entity")
    try expect(stack.context.hasChanges, "the changes are pending (B171)")
    try expectEqual(try stack.makeContext().names("Account"), before, "what is in the store")
  }

  static let all: [ConformanceCase] =
    duplicates + allowed + exchanges + hierarchies + additions + destinations + waysOut
    + UpsertCases.all + TakeOverCases.all

  private static let duplicates: [ConformanceCase] = [
    unique("stored", "a value that the store has is refused (B190, B191)") { stack in
      try stack.context.make("Account", ["name": "a", "email": "x"])
      try stack.context.save()
      try stack.readAnew()
      let second = try stack.context.make("Account", ["name": "b", "email": "x"])
      try expectDuplicate(stack, key: "email")
      try second.set("email", "y")
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Account"), ["a", "b"])
    },
    unique("same-save", "a value twice in one save is refused (B190, B191)") { stack in
      try stack.context.make("Account", ["name": "a", "email": "x"])
      try stack.context.make("Account", ["name": "b", "email": "x"])
      try expectDuplicate(stack, key: "email")
    },
    unique("update", "a change to a taken value is refused (B190, B191)") { stack in
      try stack.context.make("Account", ["name": "a", "email": "x"])
      let second = try stack.context.make("Account", ["name": "b", "email": "y"])
      try stack.context.save()
      try second.set("email", "x")
      try expectDuplicate(stack, key: "email")
      stack.context.rollback()
      try expectEqual(try second.text("email"), "y")
    },
    unique("compound", "a taken combination of values is refused (B195)") { stack in
      try stack.context.make("Account", ["name": "a", "realm": "r", "number": 1])
      try stack.context.save()
      try stack.context.make("Account", ["name": "b", "realm": "r", "number": 1])
      try expectDuplicate(stack, key: "realm")
    },
    unique(
      "other-context", "a value that another context saved meanwhile is refused (B190)"
    ) { stack in
      try stack.context.make("Account", ["name": "a", "email": "x"])
      let other = stack.makeContext()
      try other.make("Account", ["name": "b", "email": "x"])
      try other.save()
      try expectDuplicate(stack, key: "email")
    },
    unique(
      "nothing-written", "a refused value keeps the rest of the save out, too (B169)"
    ) { stack in
      try stack.context.make("Account", ["name": "a", "email": "x"])
      try stack.context.save()
      for index in 0..<10 {
        try stack.context.make("Account", ["name": "n\(index)", "email": "\(index)"])
      }
      try stack.context.make("Account", ["name": "b", "email": "x"])
      try expectDuplicate(stack, key: "email")
      try expectEqual(stack.context.insertedObjects.count, 11, "what is pending")
    },
  ]

  private static let allowed: [ConformanceCase] = [
    unique("nil", "nil does not collide (B195)") { stack in
      for name in ["a", "b", "c"] { try stack.context.make("Account", ["name": name]) }
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account"), ["a", "b", "c"])
    },
    unique("compound-nil", "a nil component does not collide (B195)") { stack in
      for name in ["a", "b"] { try stack.context.make("Account", ["name": name, "realm": "r"]) }
      for name in ["c", "d"] { try stack.context.make("Account", ["name": name, "number": 1]) }
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account"), ["a", "b", "c", "d"])
    },
    unique("compound-differs", "one different component is enough (B195)") { stack in
      try stack.context.make("Account", ["name": "a", "realm": "r", "number": 1])
      try stack.context.make("Account", ["name": "b", "realm": "r", "number": 2])
      try stack.context.make("Account", ["name": "c", "realm": "s", "number": 1])
      try stack.context.save()
    },
    unique("compound-borders", "the border between components counts (B195)") { stack in
      try stack.context.make("Account", ["name": "a", "realm": "r1", "number": 2])
      try stack.context.make("Account", ["name": "b", "realm": "r", "number": 12])
      try stack.context.save()
    },
    unique("empty", "an empty string is a value (value contract: ''/nil)") { stack in
      try stack.context.make("Account", ["name": "a", "email": ""])
      try stack.context.make("Account", ["name": "b", "email": ""])
      try expectDuplicate(stack, key: "email")
    },
    unique(
      "spelling", "two spellings of a letter are two values (value contract: NFC vs NFD)"
    ) { stack in
      try stack.context.make("Account", ["name": "a", "email": "\u{E9}"])
      try stack.context.make("Account", ["name": "b", "email": "e\u{301}"])
      try stack.context.make("Account", ["name": "c", "email": "\u{C9}"])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account").count, 3)
    },
    unique("long", "long values are compared whole (value contract: keys of 511 and 512 bytes)") {
      stack in
      for length in [511, 512, 2000] {
        let stem = String(repeating: "k", count: length)
        try stack.context.make("Account", ["name": "\(length)a", "email": stem + "a"])
        try stack.context.make("Account", ["name": "\(length)b", "email": stem + "b"])
      }
      try stack.context.save()
      try stack.context.make(
        "Account", ["name": "c", "email": String(repeating: "k", count: 2000) + "a"])
      try expectDuplicate(stack, key: "email")
    },
    unique("freed", "a deleted object frees its value (B198)") { stack in
      let first = try stack.context.make("Account", ["name": "a", "email": "x"])
      try stack.context.save()
      stack.context.delete(first)
      try stack.context.save()
      try stack.context.make("Account", ["name": "b", "email": "x"])
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Account"), ["b"])
    },
  ]

  private static let exchanges: [ConformanceCase] = [
    unique("swap", "two objects swap values in one save (B197)") { stack in
      let first = try stack.context.make("Account", ["name": "a", "email": "x"])
      let second = try stack.context.make("Account", ["name": "b", "email": "y"])
      try stack.context.save()
      try first.set("email", "y")
      try second.set("email", "x")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Account", "a").text("email"), "y")
      try expectEqual(try stack.context.named("Account", "b").text("email"), "x")
    },
    unique("rotate", "a ring of objects passes values on in one save (B197)") { stack in
      let objects = try (0..<20).map { (index: Int) in
        try stack.context.make(
          "Account", ["name": "\(index)", "email": "\(index)", "realm": "r", "number": index])
      }
      try stack.context.save()
      for (index, object) in objects.enumerated() {
        try object.set("email", "\((index + 1) % 20)")
        try object.set("number", (index + 7) % 20)
      }
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Account", "19").text("email"), "0")
      try expectEqual(try stack.context.named("Account", "19").number("number"), 6)
    },
    unique("replace", "a deleted object hands its value to a new one in one save (B198)") { stack in
      let first = try stack.context.make("Account", ["name": "a", "email": "x"])
      try stack.context.save()
      stack.context.delete(first)
      try stack.context.make("Account", ["name": "b", "email": "x"])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account", "email == 'x'"), ["b"])
    },
    unique(
      "hand-over", "a changed object hands its value to a new one in one save (B197)"
    ) { stack in
      let first = try stack.context.make("Account", ["name": "a", "email": "x"])
      try stack.context.save()
      try first.set("email", nil)
      try stack.context.make("Account", ["name": "b", "email": "x"])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account", "email == 'x'"), ["b"])
    },
    unique("after-rollback", "a value that was refused can be saved elsewhere (B171)") { stack in
      try stack.context.make("Account", ["name": "a", "email": "x"])
      try stack.context.save()
      let second = try stack.context.make("Account", ["name": "b", "email": "x"])
      try expectDuplicate(stack, key: "email")
      stack.context.delete(second)
      try stack.context.make("Account", ["name": "c", "email": "z"])
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Account"), ["a", "c"])
    },
  ]

  private static let hierarchies: [ConformanceCase] = [
    unique("inherited", "subentities inherit constraints (B196)") { stack in
      try stack.context.make("Staff", ["name": "a", "email": "x"])
      try stack.context.make("Staff", ["name": "b", "email": "x"])
      try expectDuplicate(stack, key: "email")
    },
    unique("across", "a value is unique over the whole hierarchy (B196)") { stack in
      try stack.context.make("Staff", ["name": "a", "email": "x"])
      try stack.context.save()
      let guest = try stack.context.make("Guest", ["name": "b", "email": "x"])
      try expectDuplicate(stack, key: "email")
      try guest.set("email", "y")
      try stack.context.save()
      try stack.context.make("Account", ["name": "c", "email": "y"])
      try expectDuplicate(stack, key: "email")
    },
    unique("own", "a subentity's own constraint counts for it (B196)") { stack in
      try stack.context.make("Staff", ["name": "a", "badge": "1"])
      try stack.context.make("Staff", ["name": "b", "badge": "1"])
      try expectDuplicate(stack, entity: "Staff", key: "badge")
    },
    unique("swap-across", "objects of two subentities swap values (B196, B197)") { stack in
      let staff = try stack.context.make("Staff", ["name": "a", "email": "x"])
      let guest = try stack.context.make("Guest", ["name": "b", "email": "y"])
      try stack.context.save()
      try staff.set("email", "y")
      try guest.set("email", "x")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Account", "email == 'x'"), ["b"])
    },
  ]

  private static let additions: [ConformanceCase] = [
    ConformanceCase(
      .constraints, "added-later",
      "a constraint that the stored records break is refused, and the store is as it was (B199)",
      needs: [.uniqueness, .reopening]
    ) { stage in
      func model(unique: [[String]]) -> ManagedObjectModel {
        var sketch = ModelSketch()
        sketch.add("Account", [.string("name"), .string("email")], unique: unique)
        return sketch.make()
      }
      try stage.open(model(unique: [["email"]])).close()
      let description = try stage.makeStore()
      let stack = try stage.open(model(unique: []), on: [description])
      for name in ["a", "b"] { try stack.context.make("Account", ["name": name, "email": "x"]) }
      try stack.context.save()
      stack.close()
      var other = description
      other.ignoresModelVersions = true
      try expectError(.migrationConstraintViolation, "opening") {
        _ = try stage.open(model(unique: [["email"]]), on: [other])
      }
      // Accepted: the old model, and a constraint that the records satisfy.
      try stack.reopen(model: model(unique: []))
      try expectEqual(try stack.context.names("Account"), ["a", "b"])
      stack.close()
      let third = try stage.open(model(unique: [["name"]]), on: [other])
      try third.context.make("Account", ["name": "a", "email": "y"])
      try expectError(.managedObjectConstraintMerge) { try third.context.save() }
      third.close()
    }
  ]
}
