// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Remedies after a save was refused by a rule: the program corrects the reported value, and saves again.
extension ValidationCases {
  /// A value that a rule rejects, and one that it accepts.
  private struct Mend {
    let code: PersistenceError.Code
    let key: String
    let bad: Value
    let good: Value
  }

  private static let mends: [Mend] = [
    Mend(code: .managedObjectValidation, key: "even", bad: .integer(3), good: .integer(4)),
    Mend(
      code: .validationMissingMandatoryProperty, key: "required", bad: .null, good: .string("y")),
    Mend(code: .validationNumberTooLarge, key: "bounded", bad: .integer(6), good: .integer(5)),
    Mend(code: .validationNumberTooSmall, key: "bounded", bad: .integer(-6), good: .integer(-5)),
    Mend(code: .validationDateTooLate, key: "day", bad: day(101), good: day(100)),
    Mend(code: .validationDateTooSoon, key: "day", bad: day(-1), good: day(0)),
    Mend(
      code: .validationStringTooLong, key: "word", bad: .string("abcde"), good: .string("abcd")),
    Mend(code: .validationStringTooShort, key: "word", bad: .string("a"), good: .string("ab")),
    Mend(
      code: .validationStringPatternMatching, key: "code", bad: .string("1"), good: .string("AB1")),
  ]

  static let waysOut: [ConformanceCase] = mends.map(mended) + several + counted + deleted

  private static func mended(_ mend: Mend) -> ConformanceCase {
    ConformanceCase(
      .validation, "way-out.\(mend.code)",
      "after \(mend.code) the property that the error names gets another value (B150, B156)"
    ) { stage in
      let stack = try stage.open(try model())
      let object = try stack.context.make("Ruled", ["name": "a", "required": "x"])
      for isNew in [true, false] {
        try object.set(mend.key, mend.bad.native)
        let error = try expectError(mend.code, "the save") { try stack.context.save() }
        try expectExact(error.value ?? .null, mend.bad, "the value in the error")
        try expectEqual(
          error.predicateFormat != nil, mend.code == .managedObjectValidation,
          "whether the error has a predicate")
        let named = stack.context.object(with: try require(error.objectIDs.first))
        try named.set(try require(error.key), mend.good.native)
        try stack.context.save()
        try expect(!stack.context.hasChanges, "all is saved, new or not: \(isNew)")
      }
      try stack.readAnew()
      try expectExact(try stack.context.named("Ruled", "a").get(mend.key), mend.good)
    }
  }

  private static let several: [ConformanceCase] = [
    ConformanceCase(
      .validation, "way-out.validationMultipleErrors",
      "each of several failures names an object and a property, and all can be mended (B153, B154)"
    ) { stage in
      let stack = try stage.open(try model())
      try stack.context.make("Ruled", ["name": "a", "bounded": 9, "word": "x", "even": 1])
      try stack.context.make("Ruled", ["name": "b", "required": "x", "code": "1"])
      let error = try expectError(.validationMultipleErrors) { try stack.context.save() }
      try expectEqual(error.underlyingErrors.count, 5, "the failures")
      for failure in error.underlyingErrors {
        let mend = try require(mends.first { $0.code == failure.code }, "a mend for \(failure)")
        try expectEqual(failure.key, mend.key, "the property of \(failure.code)")
        let named = stack.context.object(with: try require(failure.objectIDs.first))
        try named.set(mend.key, mend.good.native)
      }
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Ruled"), ["a", "b"])
    },
    ConformanceCase(
      .validation, "way-out.default", "what has a default in the model is not missing (B5, B150)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add(
        "Ruled", [.string("name"), .of("size", .integer64, optional: false, default: .integer(7))])
      let stack = try stage.open(sketch.make())
      try stack.context.make("Ruled", ["name": "a"])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Ruled", "a").number("size"), 7)
    },
  ]

  private static let counted: [ConformanceCase] = [
    ConformanceCase(
      .validation, "way-out.validationRelationshipLacksMinimumCount",
      "a relationship with too few destinations gets more, or none when it is optional (B9, B150)"
    ) { stage in
      let stack = try stage.open(club())
      let chair = try stack.context.make("Member", ["name": "chair"])
      let club = try stack.context.make("Club", ["name": "c", "chair": chair])
      try club.add(try stack.context.make("Member", ["name": "a"]), to: "members")
      let error = try expectError(.validationRelationshipLacksMinimumCount) {
        try stack.context.save()
      }
      try expectEqual(error.key, "members", "the error's key")
      try club.add(try stack.context.make("Member", ["name": "b"]), to: "members")
      try stack.context.save()
      try club.set("members", Set<ManagedObject>())
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Club", "c").names("members"), [])
    },
    ConformanceCase(
      .validation, "way-out.validationRelationshipExceedsMaximumCount",
      "a relationship with too many destinations loses some (B9, B150)"
    ) { stage in
      let stack = try stage.open(club())
      let members = try (0..<4).map { try stack.context.make("Member", ["name": "\($0)"]) }
      let club = try stack.context.make(
        "Club", ["name": "c", "chair": members[0], "members": Set(members)])
      let error = try expectError(.validationRelationshipExceedsMaximumCount) {
        try stack.context.save()
      }
      try expectEqual(error.key, "members", "the error's key")
      try club.remove(members[3], from: "members")
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.named("Club", "c").names("members"), ["0", "1", "2"])
    },
  ]

  /// A parent whose deletion its children deny.
  private static func denied(
    _ name: String, _ words: String,
    _ mend: @escaping @Sendable (ManagedObject, ManagedObject) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      .validation, "way-out.validationRelationshipDeniedDelete.\(name)",
      "a deletion that is denied is saved after \(words) (B87, B171)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Parent", [.string("name")])
      sketch.add("Child", [.string("name")])
      sketch.relate(.init("Parent", "children", .many, rule: .deny), .init("Child", "parent", .one))
      let stack = try stage.open(sketch.make())
      let parent = try stack.context.make("Parent", ["name": "p"])
      let child = try stack.context.make("Child", ["name": "c", "parent": parent])
      try stack.context.save()
      stack.context.delete(parent)
      try expectError(.validationRelationshipDeniedDelete) { try stack.context.save() }
      try mend(parent, child)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Parent"), [], "the parents")
      try expectEqual(
        try stack.context.names("Child"), name == "destinations" ? [] : ["c"], "the children")
    }
  }

  private static let deleted: [ConformanceCase] = [
    denied("emptied", "the relationship has been emptied") { parent, _ in
      try parent.set("children", Set<ManagedObject>())
    },
    denied("other-side", "the destinations have been given away") { _, child in
      try child.set("parent", nil)
    },
    denied("destinations", "the destinations have been deleted, too") { _, child in
      child.managedObjectContext?.delete(child)
    },
  ]
}
