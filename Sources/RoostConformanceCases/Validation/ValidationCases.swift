// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Validation in a save.
enum ValidationCases {
  static let all: [ConformanceCase] =
    rules + counts + saves + exempt + hooks + waysOut

  /// An entity whose attributes have one rule each.
  static func model() throws -> ManagedObjectModel {
    var sketch = ModelSketch()
    let required = AttributeDescription.string("required", optional: false)
    let bounded = AttributeDescription.of("bounded", .integer32)
    bounded.minValue = .integer(-5)
    bounded.maxValue = .integer(5)
    let ratio = AttributeDescription.of("ratio", .double)
    ratio.minValue = .double(0)
    ratio.maxValue = .double(1)
    let day = AttributeDescription.of("day", .date)
    day.minValue = .date(Date(timeIntervalSinceReferenceDate: 0))
    day.maxValue = .date(Date(timeIntervalSinceReferenceDate: 100))
    let word = AttributeDescription.string("word")
    word.minLength = 2
    word.maxLength = 4
    let code = AttributeDescription.string("code")
    code.regularExpression = "[A-Z]{2}[0-9]+"
    let even = AttributeDescription.integer("even")
    try even.setValidationPredicates(
      [FetchPredicate("SELF %% 2 == 0")], withValidationWarnings: ["must be even"])
    let label = AttributeDescription.string("label")
    label.maxLength = 3
    try label.setValidationPredicates(
      [FetchPredicate("length >= 1"), FetchPredicate("SELF MATCHES '[a-z]+'")],
      withValidationWarnings: [1670, 70_001])
    sketch.add("Ruled", [.string("name"), required, bounded, ratio, day, word, code, even, label])
    return sketch.make()
  }

  /// A value that an attribute may have or not, and the error in that case.
  private struct Row {
    let name: String
    let key: String
    let value: Value
    let code: PersistenceError.Code?

    init(_ name: String, _ key: String, _ value: Value, _ code: PersistenceError.Code? = nil) {
      self.name = name
      self.key = key
      self.value = value
      self.code = code
    }
  }

  static func day(_ seconds: Double) -> Value {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  private static let rows: [Row] = [
    Row("required-nil", "required", .null, .validationMissingMandatoryProperty),
    Row("required-empty", "required", .string("")),
    Row("number-small", "bounded", .integer(-6), .validationNumberTooSmall),
    Row("number-least", "bounded", .integer(-5)),
    Row("number-greatest", "bounded", .integer(5)),
    Row("number-large", "bounded", .integer(6), .validationNumberTooLarge),
    Row("number-nil", "bounded", .null),
    Row("double-small", "ratio", .double(-1e-9), .validationNumberTooSmall),
    Row("double-large", "ratio", .double(1.0.nextUp), .validationNumberTooLarge),
    Row("double-least", "ratio", .double(0)),
    Row("date-early", "day", day(-1), .validationDateTooSoon),
    Row("date-late", "day", day(100.5), .validationDateTooLate),
    Row("date-last", "day", day(100)),
    Row("string-short", "word", .string("a"), .validationStringTooShort),
    Row("string-long", "word", .string("abcde"), .validationStringTooLong),
    Row("string-longest", "word", .string("\u{1F600}\u{1F600}\u{1F600}\u{1F600}")),
    Row("string-nil", "word", .null),
    Row("pattern", "code", .string("AB12")),
    Row("pattern-beginning", "code", .string("AB12x"), .validationStringPatternMatching),
    Row("pattern-none", "code", .string("12"), .validationStringPatternMatching),
    Row("predicate", "even", .integer(4)),
    Row("predicate-fails", "even", .integer(3), .managedObjectValidation),
  ]

  private static let rules: [ConformanceCase] = rows.flatMap { row in
    [true, false].map { isNew in
      ConformanceCase(
        .validation, "\(row.name)-\(isNew ? "insert" : "update")",
        "\(row.key) is checked when it is \(isNew ? "inserted" : "updated") (B149, B150)"
      ) { stage in
        let stack = try stage.open(try model())
        let object = try stack.context.make("Ruled", ["name": "a", "required": "x"])
        if !isNew { try stack.context.save() }
        try object.set(row.key, row.value.native)
        guard let code = row.code else {
          try stack.context.save()
          return
        }
        let error = try expectError(code, "the save") { try stack.context.save() }
        try expectEqual(error.key, row.key, "the error's key (B155)")
        try expectEqual(error.objectIDs, [object.objectID], "the error's object (B155)")
        try expect(stack.context.hasChanges, "the change is still there (B156)")
        let other = stack.makeContext()
        try expectEqual(try other.all("Ruled").count, isNew ? 0 : 1, "what is in the store (B156)")
      }
    }
  }

  static func club() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Club", [.string("name")])
    sketch.add("Member", [.string("name")])
    sketch.relate(
      .init("Club", "members", .many, minimum: 2, maximum: 3), .init("Member", "club", .one))
    sketch.relate(
      .init("Club", "chair", .one, isOptional: false), .init("Member", "chairs", .many))
    return sketch.make()
  }

  private static let counts: [ConformanceCase] = (0...4).map { count in
    ConformanceCase(
      .validation, "count-\(count)",
      "a relationship of two to three destinations has \(count) (B9, B150)"
    ) { stage in
      let stack = try stage.open(club())
      let chair = try stack.context.make("Member", ["name": "chair"])
      let members = try (0..<count).map { try stack.context.make("Member", ["name": "\($0)"]) }
      try stack.context.make("Club", ["name": "c", "members": Set(members), "chair": chair])
      switch count {
      case 1:
        try expectError(.validationRelationshipLacksMinimumCount) { try stack.context.save() }
      case 4:
        try expectError(.validationRelationshipExceedsMaximumCount) { try stack.context.save() }
      default: try stack.context.save()
      }
    }
  }

  private static let saves: [ConformanceCase] = [
    ConformanceCase(
      .validation, "required-destination",
      "a required to-one relationship needs a destination (B150)"
    ) { stage in
      let stack = try stage.open(club())
      let club = try stack.context.make("Club", ["name": "c"])
      let error = try expectError(.validationMissingMandatoryProperty) { try stack.context.save() }
      try expectEqual(error.key, "chair", "the error's key")
      try club.set("chair", try stack.context.make("Member", ["name": "m"]))
      try stack.context.save()
    },
    ConformanceCase(
      .validation, "all-at-once", "failures of one object are one error that holds them all (B153)"
    ) { stage in
      let stack = try stage.open(try model())
      try stack.context.make("Ruled", ["name": "a", "bounded": 9, "word": "x", "even": 1])
      let error = try expectError(.validationMultipleErrors) { try stack.context.save() }
      let codes = Set(error.underlyingErrors.map(\.code))
      try expectEqual(
        codes,
        [
          .validationMissingMandatoryProperty, .validationNumberTooLarge, .validationStringTooShort,
          .managedObjectValidation,
        ], "the codes")
    },
    ConformanceCase(
      .validation, "all-rules",
      "every rule that a value breaks is told, with the number that the model gives it (B150, B153)"
    ) { stage in
      let stack = try stage.open(try model())
      let object = try stack.context.make("Ruled", ["name": "a", "required": "x", "label": ""])
      let error = try expectError(.validationMultipleErrors) { try stack.context.save() }
      try expectEqual(
        error.underlyingErrors.map(\.code.rawValue), [1670, 70_001], "what is too short")
      try expectEqual(error.underlyingErrors.map(\.key), ["label", "label"], "the keys (B155)")
      try object.set("label", "ABCD")
      let both = try expectError(.validationMultipleErrors) { try stack.context.save() }
      try expectEqual(
        both.underlyingErrors.map(\.code.rawValue), [1660, 70_001], "a bound and a predicate")
      try object.set("label", "AB")
      let one = try expectError(PersistenceError.Code(rawValue: 70_001)) {
        try stack.context.save()
      }
      try expectEqual(one.predicateFormat, "SELF MATCHES \"[a-z]+\"", "the predicate (B155)")
      try object.set("label", "ab")
      try stack.context.save()
    },
    ConformanceCase(
      .validation, "all-objects", "failures of several objects are one error (B154)"
    ) { stage in
      let stack = try stage.open(try model())
      let saved = try stack.context.make("Ruled", ["name": "a", "required": "x"])
      try stack.context.save()
      try saved.set("bounded", 9)
      let new = try stack.context.make("Ruled", ["name": "b", "required": "x", "bounded": 8])
      let error = try expectError(.validationMultipleErrors) { try stack.context.save() }
      try expectEqual(
        Set(error.underlyingErrors.flatMap(\.objectIDs)), [saved.objectID, new.objectID],
        "the objects")
      try saved.set("bounded", 1)
      try new.set("bounded", 1)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Ruled", "bounded == 1"), ["a", "b"])
    },
    ConformanceCase(
      .validation, "nothing-written", "one invalid object keeps all others out of the store (B156)"
    ) { stage in
      let stack = try stage.open(try model())
      for index in 0..<10 {
        try stack.context.make("Ruled", ["name": "\(index)", "required": "x"])
      }
      let bad = try stack.context.make("Ruled", ["name": "bad"])
      try expectError(.validationMissingMandatoryProperty) { try stack.context.save() }
      try expectEqual(try stack.makeContext().all("Ruled").count, 0, "what is in the store")
      try expectEqual(stack.context.insertedObjects.count, 11, "what is pending")
      try expect(bad.objectID.isTemporaryID, "the IDs are temporary")
      stack.context.delete(bad)
      try stack.context.save()
      try expectEqual(try stack.makeContext().all("Ruled").count, 10, "what is in the store now")
    },
    ConformanceCase(
      .validation, "invalid-meanwhile", "an object may be invalid until the save (B148, B158)"
    ) { stage in
      let stack = try stage.open(try model())
      let object = try stack.context.make("Ruled", ["name": "a"])
      try object.set("bounded", 99)
      try expectExact(try object.get("bounded"), .integer(99))
      try object.set("bounded", 5)
      try object.set("required", "x")
      try stack.context.save()
    },
    ConformanceCase(
      .validation, "value-hidden", "an error's description shows no stored value (B155)"
    ) { stage in
      let stack = try stage.open(try model())
      try stack.context.make("Ruled", ["name": "a", "required": "x", "word": "canary-value"])
      let error = try expectError(.validationStringTooLong) { try stack.context.save() }
      try expect(!"\(error)".contains("canary"), "the description hides the value")
      try expectExact(error.value ?? .null, .string("canary-value"), "the error's value")
    },
    ConformanceCase(
      .validation, "hook", "an object's own rule counts, and may replace a value (B151)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Checked", [.string("name"), .integer("number")], class: CheckedObject.self)
      let stack = try stage.open(sketch.make())
      let object = try stack.context.make("Checked", ["name": "  trimmed ", "number": 7])
      try stack.context.save()
      try expectExact(try object.get("name"), .string("trimmed"))
      try object.set("number", 13)
      let error = try expectError(.managedObjectValidation) { try stack.context.save() }
      try expectEqual(error.message, "13 brings bad luck", "the error's message")
      stack.context.rollback()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Checked"), ["trimmed"])
    },
  ]
}

/// Trims its name, and refuses 13.
private final class CheckedObject: ManagedObject {
  override func validate(_ value: inout Value, forKey key: String) throws {
    if key == "name", case .string(let text) = value {
      value = .string(text.trimmingCharacters(in: .whitespaces))
    }
    if key == "number", case .integer(13) = value {
      throw PersistenceError(.managedObjectValidation, "13 brings bad luck", key: key)
    }
  }
}
