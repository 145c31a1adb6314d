// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

/// A frozen model with a description of each kind.
private struct Frozen {
  let company = Company()
  let address: CompositeAttributeDescription
  let city = AttributeDescription(name: "city", type: .string)
  let changed = DerivedAttributeDescription(name: "changed", type: .date)
  let rich = FetchedPropertyDescription(name: "rich", fetchRequest: Template("Person"))
  let upper = ExpressionDescription(
    name: "upper", expression: UnparsedExpression("uppercase:(name)"), resultType: .string)
  let index: FetchIndexDescription
  var element: FetchIndexElementDescription { index.elements[0] }

  init() throws {
    address = CompositeAttributeDescription(name: "address", elements: [city])
    changed.derivationExpression = UnparsedExpression("now()")
    company.tag.properties += [address, changed, rich]
    index = FetchIndexDescription(
      name: "byName",
      elements: [
        FetchIndexElementDescription(property: company.name),
        FetchIndexElementDescription(property: upper),
      ])
    company.person.indexes = [index]
    try company.model.freeze()
  }
}

/// Tests that each setter of the model classes traps with its message once the model is in use (B1, B338): child
/// processes are run, because a trap cannot be tested otherwise.
@Suite("The setters of a model in use")
struct FrozenSetterTests {
  private func expect(
    _ result: ExitTest.Result?, refuses property: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains("\(property) cannot be changed, the model is in use"), "\(text)",
      sourceLocation: sourceLocation)
  }

  @Test("a model refuses to be changed (B1, B338)")
  func model() async {
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.model.entities = []
      }, refuses: "entities")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.model.versionIdentifiers = ["2"]
      }, refuses: "versionIdentifiers")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.model.localizationDictionary = [:]
      }, refuses: "localizationDictionary")
  }

  @Test("an entity refuses to be changed (B1, B338)")
  func entity() async {
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.name = "Human"
      }, refuses: "name")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.managedObjectClassName = "Human"
      }, refuses: "managedObjectClassName")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.managedObjectClass = nil
      }, refuses: "managedObjectClass")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.isAbstract = true
      }, refuses: "isAbstract")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.userInfo = ["a": 1]
      }, refuses: "userInfo")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.versionHashModifier = "2"
      }, refuses: "versionHashModifier")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.uniquenessConstraints = [["name"]]
      }, refuses: "uniquenessConstraints")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.indexes = []
      }, refuses: "indexes")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.subentities = []
      }, refuses: "subentities")
  }

  @Test("an entity refuses to be changed, part 2 (B1, B338)")
  func entity2() async {
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.properties = []
      }, refuses: "properties")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.declaredProperties = []
      }, refuses: "properties")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.coreSpotlightDisplayNameExpression = nil
      }, refuses: "coreSpotlightDisplayNameExpression")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.person.renamingIdentifier = "Human"
      }, refuses: "renamingIdentifier")
  }

  @Test("a property of any kind refuses to be changed (B1, B338)")
  func property() async {
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.name.name = "label"
      }, refuses: "name")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.name.isOptional = false
      }, refuses: "isOptional")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.name.isTransient = true
      }, refuses: "isTransient")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.name.userInfo = ["a": 1]
      }, refuses: "userInfo")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.name.versionHashModifier = "2"
      }, refuses: "versionHashModifier")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.name.isIndexedBySpotlight = true
      }, refuses: "isIndexedBySpotlight")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.name.renamingIdentifier = "label"
      }, refuses: "renamingIdentifier")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().rich.fetchRequest = nil
      }, refuses: "fetchRequest")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().upper.expression = nil
      }, refuses: "expression")
  }

  @Test("a property of any kind refuses to be changed, part 2 (B1, B338)")
  func property2() async {
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().upper.resultType = .integer16
      }, refuses: "resultType")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().upper.expressionResultType = .integer16
      }, refuses: "resultType")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().upper.name = "lower"
      }, refuses: "name")
  }

  @Test("an attribute refuses to be changed (B1, B338)")
  func attribute() async {
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.type = .string
      }, refuses: "type")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.attributeType = .string
      }, refuses: "type")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.defaultValue = 1
      }, refuses: "defaultValue")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.defaultConstant = .integer(1)
      }, refuses: "defaultValue")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.minValue = .integer(1)
      }, refuses: "minValue")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.maxValue = .integer(1)
      }, refuses: "maxValue")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.minLength = 1
      }, refuses: "minLength")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.maxLength = 1
      }, refuses: "maxLength")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.regularExpression = "a"
      }, refuses: "regularExpression")
  }

  @Test("an attribute refuses to be changed, part 2 (B1, B338)")
  func attribute2() async {
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.valueTransformerName = "a"
      }, refuses: "valueTransformerName")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.transformableCodec = nil
      }, refuses: "transformableCodec")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.allowsExternalBinaryDataStorage = true
      }, refuses: "allowsExternalBinaryDataStorage")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.preservesValueInHistoryOnDeletion = true
      }, refuses: "preservesValueInHistoryOnDeletion")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.allowsCloudEncryption = true
      }, refuses: "allowsCloudEncryption")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.age.attributeValueClassName = "a"
      }, refuses: "attributeValueClassName")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().address.elements = []
      }, refuses: "elements")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().city.isOptional = false
      }, refuses: "isOptional")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().changed.derivationExpression = nil
      }, refuses: "derivationExpression")
  }

  @Test("a relationship and an index refuse to be changed (B1, B338)")
  func relationship() async {
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.people.destinationEntity = nil
      }, refuses: "destinationEntity")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.people.inverseRelationship = nil
      }, refuses: "inverseRelationship")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.people.minCount = 1
      }, refuses: "minCount")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.people.maxCount = 1
      }, refuses: "maxCount")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.people.deleteRule = .deny
      }, refuses: "deleteRule")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().company.people.isOrdered = false
      }, refuses: "isOrdered")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().index.name = "other"
      }, refuses: "name")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().index.elements = []
      }, refuses: "elements")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().index.partialIndexPredicate = nil
      }, refuses: "partialIndexPredicate")
  }

  @Test("a relationship and an index refuse to be changed, part 2 (B1, B338)")
  func relationship2() async {
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().element.property = nil
      }, refuses: "property")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().element.collationType = .rTree
      }, refuses: "collationType")
    expect(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try Frozen().element.isAscending = false
      }, refuses: "isAscending")
  }
}
