// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct ValidationTests {
  /// Returns a context and an entity with every rule.
  private func makeContext() throws -> (ManagedObjectContext, EntityDescription) {
    let entity = EntityDescription(name: "Rule")
    let text = AttributeDescription(name: "text", type: .string)
    text.minLength = 2
    text.maxLength = 4
    text.regularExpression = "[a-z]*"
    let number = AttributeDescription(name: "number", type: .integer32)
    number.minValue = .integer(1)
    number.maxValue = .integer(9)
    let date = AttributeDescription(name: "date", type: .date)
    date.minValue = .date(Date(timeIntervalSinceReferenceDate: 0))
    date.maxValue = .date(Date(timeIntervalSinceReferenceDate: 100))
    let needed = AttributeDescription(name: "needed", type: .string)
    needed.isOptional = false
    needed.defaultConstant = .string("yes")
    let ratio = AttributeDescription(name: "ratio", type: .double)
    let parts = RelationshipDescription(name: "parts", destination: entity)
    parts.minCount = 2
    parts.maxCount = 3
    let whole = RelationshipDescription(name: "whole", destination: entity, maxCount: 1)
    parts.inverseRelationship = whole
    whole.inverseRelationship = parts
    entity.properties = [text, number, date, needed, ratio, parts, whole]
    let model = ManagedObjectModel()
    model.entities = [entity]
    let container = try PersistentContainer(name: "rules", model: model, stores: [.inMemory()])
    try container.loadPersistentStores()
    return (ManagedObjectContext(coordinator: container.persistentStoreCoordinator), entity)
  }

  @Test("a predicate that the model knows by its text is a rule like any other (B150)")
  func textPredicates() throws {
    let entity = EntityDescription(name: "Rule")
    let number = AttributeDescription(name: "number", type: .integer64)
    try number.setValidationPredicates(
      [UnparsedPredicate("SELF != 13")], withValidationWarnings: ["unlucky"])
    entity.properties = [number]
    let container = try PersistentContainer(
      name: "texts", model: ManagedObjectModel(entities: [entity]), stores: [.inMemory()])
    try container.loadPersistentStores()
    let context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
    let object = ManagedObject(entity: entity, insertInto: context)
    try object.setValue(13, forKey: "number")
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .managedObjectValidation && error?.predicateFormat == "SELF != 13")
    try object.setValue(12, forKey: "number")
    try context.save()
  }

  @Test("a predicate that cannot be parsed is a fault of the model, never a rule that nobody keeps")
  func brokenPredicates() throws {
    let entity = EntityDescription(name: "Rule")
    let number = AttributeDescription(name: "number", type: .integer64)
    let text = AttributeDescription(name: "text", type: .string)
    try number.setValidationPredicates(
      [UnparsedPredicate("SELF >= 0"), UnparsedPredicate("SELF >")],
      withValidationWarnings: ["a", "b"])
    entity.properties = [number, text]
    let index = FetchIndexDescription(
      name: "broken", elements: [FetchIndexElementDescription(property: text)])
    index.partialIndexPredicate = UnparsedPredicate("text === 'a'")
    entity.indexes = [index]
    let model = ManagedObjectModel(entities: [entity])
    let error = #expect(throws: PersistenceError.self) {
      try PersistentContainer(name: "broken", model: model)
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.underlyingErrors.map(\.key) == ["number", "broken"])
    // The model is unchanged and can be corrected.
    #expect(!model.isFrozen && number.validationPredicates.contains { $0 is UnparsedPredicate })
    try number.setValidationPredicates([], withValidationWarnings: [])
    index.partialIndexPredicate = nil
    _ = try PersistentContainer(name: "mended", model: model)
  }

  @Test(
    "each rule of the model has its code, key and value (B150, B155)",
    arguments: [
      ("text", "a", PersistenceError.Code.validationStringTooShort),
      ("text", "abcde", .validationStringTooLong),
      ("text", "AB", .validationStringPatternMatching),
      ("number", "0", .validationNumberTooSmall),
      ("number", "10", .validationNumberTooLarge),
      ("date", "-1", .validationDateTooSoon),
      ("date", "101", .validationDateTooLate),
      ("ratio", "nan", .invalidValue),
      ("text", "a\0", .invalidValue),
      ("needed", "", .validationMissingMandatoryProperty),
    ])
  func rules(key: String, input: String, expected: PersistenceError.Code) throws {
    let (context, entity) = try makeContext()
    let object = ManagedObject(entity: entity, insertInto: context)
    switch key {
    case "number": try object.setValue(Int(input), forKey: key)
    case "date":
      try object.setValue(
        Date(timeIntervalSinceReferenceDate: Double(input) ?? 0), forKey: key)
    case "ratio": try object.setValue(Double.nan, forKey: key)
    case "needed": try object.setValue(nil, forKey: key)
    default: try object.setValue(input, forKey: key)
    }
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == expected)
    #expect(error?.key == key)
    #expect(error?.objectIDs == [object.objectID])
    #expect((error?.value?.isNull ?? true) == (key == "needed"))
    #expect(context.hasChanges)
  }

  @Test("a text with NUL is refused of a saved object too, whatever the number of its property")
  func laterTexts() throws {
    let entity = EntityDescription(name: "Wide")
    let names = (0..<70).map { "text\($0)" }
    entity.properties = names.map { AttributeDescription(name: $0, type: .string) }
    let container = try PersistentContainer(
      name: "wide", model: ManagedObjectModel(entities: [entity]), stores: [.inMemory()])
    try container.loadPersistentStores()
    let context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
    let object = ManagedObject(entity: entity, insertInto: context)
    for name in names { try object.setValue("a text of some length", forKey: name) }
    try context.save()
    for name in ["text0", "text69"] {
      try object.setValue("nul\0", forKey: name)
      let error = #expect(throws: PersistenceError.self) { try context.save() }
      #expect(error?.code == .invalidValue && error?.key == name)
      try object.setValue("another", forKey: name)
      try context.save()
      // A primitive value, which is not tracked as a change, is written with the next change, so it is validated.
      try object.setPrimitiveValue("nul\0", forKey: name)
      try object.setValue("a change", forKey: "text1")
      #expect(throws: PersistenceError(.invalidValue, "")) { try context.save() }
      try object.setPrimitiveValue("another", forKey: name)
      try context.save()
    }
  }

  @Test("invalid values are allowed until the save (B148, B158)")
  func invalidInBetween() throws {
    let (context, entity) = try makeContext()
    let object = ManagedObject(entity: entity, insertInto: context)
    try object.setValue(nil, forKey: "needed")
    try object.setValue(50, forKey: "number")
    try object.setValue("x", forKey: "needed")
    try object.setValue(5, forKey: "number")
    try context.save()
  }

  @Test("a save collects the failures of all properties of all objects (B153, B154)")
  func allTogether() throws {
    let (context, entity) = try makeContext()
    for _ in 0..<2 {
      let object = ManagedObject(entity: entity, insertInto: context)
      try object.setValue("a", forKey: "text")
      try object.setValue(50, forKey: "number")
    }
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .validationMultipleErrors)
    #expect(
      error?.underlyingErrors.map(\.code)
        == [
          .validationStringTooShort, .validationNumberTooLarge, .validationStringTooShort,
          .validationNumberTooLarge,
        ])
  }

  @Test("counts of a relationship hold as soon as it has a value (B9, B150)")
  func counts() throws {
    let (context, entity) = try makeContext()
    let whole = ManagedObject(entity: entity, insertInto: context)
    try context.save()
    func parts(_ count: Int) throws {
      try whole.setValue(
        (0..<count).map { _ in ManagedObject(entity: entity, insertInto: context) },
        forKey: "parts")
    }
    try parts(1)
    #expect(code { try context.save() } == .validationRelationshipLacksMinimumCount)
    context.rollback()
    try parts(4)
    #expect(code { try context.save() } == .validationRelationshipExceedsMaximumCount)
    context.rollback()
    try parts(3)
    try context.save()
  }

  @Test(
    "the object's own rule runs after the model's, may replace the value or refuse it (B151, B159)")
  func ownRules() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    witness.title = "replace me"
    try stack.context.save()
    #expect(witness.title == "replaced")
    let other = stack.anotherContext()
    #expect(
      (try other.existingObject(with: witness.objectID) as? Witness)?.title == "replaced")
    witness.title = "refuse me"
    #expect(code { try stack.context.save() } == .managedObjectValidation)
    #expect(witness.title == "refuse me")
  }

  @Test("validateValue coerces, checks the model's rules and the object's (B151, B152)")
  func validateValue() throws {
    let (context, entity) = try makeContext()
    let object = ManagedObject(entity: entity, insertInto: context)
    var value = Value.integer(50)
    #expect(
      code { try object.validateValue(&value, forKey: "number") } == .validationNumberTooLarge)
    #expect(code { try object.validateValue(&value, forKey: "nothing") } == .unknownKey)
    #expect(code { try object.validateValue(&value, forKey: "date") } == .invalidValue)
  }
}
