// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// The validation methods that a save calls, and the meaning of their results.
extension ValidationCases {
  static let hooks: [ConformanceCase] = calls + inverses + rounds

  private static let calls: [ConformanceCase] = [
    ConformanceCase(
      .validation, "one-call-each",
      "new objects, changed ones and deleted ones are asked by a method each, once (B149)"
    ) { stage in
      let (stack, hooks) = try HookedModel.open(stage)
      let object = try stack.context.make("Parent", ["name": "a"])
      try stack.context.save()
      try expectEqual(try hooks.take("validate"), ["validateForInsert a"], "the insertion")
      try object.set("stamp", 1)
      try stack.context.save()
      try expectEqual(try hooks.take("validate"), ["validateForUpdate a"], "the update")
      stack.context.delete(object)
      try stack.context.save()
      try expectEqual(try hooks.take("validate"), ["validateForDelete a"], "the deletion")
    },
    ConformanceCase(
      .validation, "only-the-changed", "what is not changed is not asked (B148, B149)"
    ) { stage in
      let (stack, hooks) = try HookedModel.open(stage)
      for name in ["a", "b"] { try stack.context.make("Parent", ["name": name]) }
      try stack.context.save()
      let objects = try stack.context.all("Parent")
      _ = try hooks.take()
      try objects[1].set("stamp", 2)
      try stack.context.make("Parent", ["name": "c"])
      try stack.context.save()
      try expectEqual(
        try hooks.take("validate"), ["validateForInsert c", "validateForUpdate b"], "who is asked")
      try expectEqual(objects.count, 2, "the objects that were there")
    },
    ConformanceCase(
      .validation, "direct", "an object that is asked directly tells all its failures (B153)"
    ) { stage in
      var sketch = ModelSketch()
      let word = AttributeDescription.string("word")
      word.maxLength = 2
      let number = AttributeDescription.of("number", .integer32)
      number.maxValue = .integer(5)
      sketch.add("Ruled", [.string("name", optional: false), word, number])
      let stack = try stage.open(sketch.make())
      let object = try stack.context.make("Ruled", ["name": "a"])
      try stack.context.save()
      try object.validateForUpdate()
      try object.set("word", "abc")
      let single = try expectError(.validationStringTooLong) { try askDirectly(object) }
      try expectEqual(single.key, "word", "the one failure is thrown as it is")
      try object.set("number", 6)
      try object.set("name", nil)
      let error = try expectError(.validationMultipleErrors) { try askDirectly(object) }
      try expectEqual(
        Set(error.underlyingErrors.map { $0.key ?? "" }), ["name", "word", "number"], "the keys")
      try expect(object.isUpdated && stack.context.hasChanges, "asking changes nothing")
    },
    ConformanceCase(
      .validation, "required-members",
      "a to-many relationship with a minimum may not be empty (B9, B150)"
    ) { stage in
      var sketch = ModelSketch()
      sketch.add("Crew", [.string("name")])
      sketch.add("Sailor", [.string("name")])
      sketch.relate(
        .init("Crew", "sailors", .many, isOptional: false, minimum: 1),
        .init("Sailor", "crew", .one))
      let stack = try stage.open(sketch.make())
      let crew = try stack.context.make("Crew", ["name": "c"])
      let error = try expectError(.validationMissingMandatoryProperty) { try stack.context.save() }
      try expectEqual(error.key, "sailors", "the error's key")
      let sailor = try stack.context.make("Sailor", ["name": "s", "crew": crew])
      try stack.context.save()
      try sailor.set("crew", nil)
      try expectError(.validationMissingMandatoryProperty) { try stack.context.save() }
      try expectEqual(stack.context.updatedObjects, [crew, sailor], "what is pending")
    },
  ]

  private static let inverses: [ConformanceCase] = [
    ConformanceCase(
      .validation, "inverse-side",
      "who is changed through an inverse only takes part in willSave, validation and save (B69)"
    ) { stage in
      let (stack, hooks) = try HookedModel.open(stage)
      let parent = try stack.context.make("Parent", ["name": "p"])
      let child = try stack.context.make("Child", ["name": "c"])
      try stack.context.save()
      _ = try hooks.take()
      try child.set("parent", parent)
      try expect(parent.isUpdated, "the other side is updated")
      hooks.onCall = { hook, object in
        guard hook == .validateForUpdate, object === parent else { return }
        throw PersistenceError(.managedObjectValidation, "The parent says no.")
      }
      let error = try expectError(.managedObjectValidation) { try stack.context.save() }
      try expectEqual(error.message, "The parent says no.", "the error's message")
      try expectEqual(stack.context.updatedObjects, [parent, child], "what is pending (B156)")
      hooks.onCall = { _, _ in }
      _ = try hooks.take()
      try stack.context.save()
      try expectEqual(
        try hooks.take().filter { $0.hasSuffix("p") },
        ["willSave p", "validateForUpdate p", "didSave p"], "what the other side is told")
      try stack.readAnew()
      try expectEqual(try stack.context.named("Parent", "p").names("children"), ["c"])
    }
  ]

  private static let rounds: [ConformanceCase] = [
    ConformanceCase(
      .validation, "endless", "a validation that never settles is an error (B159, B163)"
    ) { stage in
      let (stack, hooks) = try HookedModel.open(stage)
      let object = try stack.context.make("Parent", ["name": "a", "word": "x"])
      hooks.onValue = { value, key in
        guard key == "word", case .string(let word) = value else { return }
        value = .string(word == "x" ? "y" : "x")
      }
      try expectError(.endlessWillSave, "the save") { try stack.context.save() }
      try expect(object.isInserted && stack.context.hasChanges, "everything is pending")
      try expectEqual(try stack.makeContext().names("Parent"), [], "what is in the store")
      hooks.onValue = { value, key in if key == "word" { value = .string("settled") } }
      try stack.context.save()
      try stack.readAnew()
      try expectExact(try stack.context.named("Parent", "a").get("word"), .string("settled"))
    }
  ]

  /// Calls an object's validation directly. In a program that uses Core Data's names the error is translated; the
  /// original is thrown.
  private static func askDirectly(_ object: ManagedObject) throws {
    do {
      try object.validateForUpdate()
    } catch {
      throw ValidationErrors.original(error) ?? error
    }
  }
}
