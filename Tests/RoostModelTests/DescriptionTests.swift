// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Descriptions")
struct DescriptionTests {
  @Test("an entity without a class name has plain managed objects (B3)")
  func className() {
    class Ada {}
    let entity = EntityDescription(name: "Person")
    #expect(entity.managedObjectClassName == "ManagedObject")
    #expect(entity.managedObjectClass == nil)
    entity.managedObjectClass = Ada.self
    #expect(entity.managedObjectClassName == "Ada")
  }

  @Test("a hierarchy is built from the top; the superentity of a root is nil (B4)")
  func hierarchy() {
    let company = Company()
    #expect(company.person.superentity == nil)
    #expect(company.employee.superentity === company.person)
    #expect(company.person.subentitiesByName == ["Employee": company.employee])
    company.person.subentities = []
    #expect(company.employee.superentity == nil)
  }

  @Test(
    "a relationship is to-one exactly when its largest count is 1; counts are 0 unless set (B7)")
  func counts() {
    let relationship = RelationshipDescription(name: "people")
    #expect(relationship.minCount == 0)
    #expect(relationship.maxCount == 0)
    #expect(relationship.isToMany)
    relationship.maxCount = 2
    #expect(relationship.isToMany)
    relationship.maxCount = 1
    #expect(!relationship.isToMany)
  }

  @Test(
    "the delete rule is nullify, relationships are not ordered, properties optional unless set (B8)"
  )
  func defaults() {
    let relationship = RelationshipDescription(name: "people")
    #expect(relationship.deleteRule == .nullify)
    #expect(!relationship.isOrdered)
    #expect(relationship.isOptional)
    #expect(AttributeDescription(name: "age", type: .integer16).isOptional)
    #expect(DeleteRule.allCases.map(\.rawValue) == [0, 1, 2, 3])
    #expect(DeleteRule.denyDeleteRule == .deny)
  }

  @Test("a renaming identifier is the name unless set (B11)")
  func renamingIdentifier() {
    let company = Company()
    #expect(company.person.renamingIdentifier == "Person")
    #expect(company.name.renamingIdentifier == "name")
    company.name.renamingIdentifier = "fullName"
    company.person.renamingIdentifier = "Human"
    #expect(company.name.renamingIdentifier == "fullName")
    #expect(company.person.renamingIdentifier == "Human")
    company.name.renamingIdentifier = nil
    #expect(company.name.renamingIdentifier == "name")
  }

  @Test("attribute types have Core Data's numbers and names")
  func types() {
    let numbers: [(AttributeType, AttributeType, Int)] = [
      (.undefined, .undefinedAttributeType, 0), (.integer16, .integer16AttributeType, 100),
      (.integer32, .integer32AttributeType, 200), (.integer64, .integer64AttributeType, 300),
      (.decimal, .decimalAttributeType, 400), (.double, .doubleAttributeType, 500),
      (.float, .floatAttributeType, 600), (.string, .stringAttributeType, 700),
      (.boolean, .booleanAttributeType, 800), (.date, .dateAttributeType, 900),
      (.binaryData, .binaryDataAttributeType, 1000), (.uuid, .UUIDAttributeType, 1100),
      (.uri, .URIAttributeType, 1200), (.transformable, .transformableAttributeType, 1800),
      (.objectID, .objectIDAttributeType, 2000), (.composite, .compositeAttributeType, 2100),
    ]
    for (type, older, number) in numbers {
      #expect(type == older)
      #expect(type.rawValue == number)
      #expect(AttributeType(rawValue: number) == type)
    }
    let attribute = AttributeDescription(name: "when", type: .date)
    #expect(attribute.attributeType == .date)
    #expect(attribute.attributeValueClassName == "NSDate")
    attribute.attributeType = .transformable
    #expect(attribute.type == .transformable)
    #expect(attribute.attributeValueClassName == nil)
    attribute.attributeValueClassName = "Colour"
    #expect(attribute.attributeValueClassName == "Colour")
  }

  @Test("validation predicates and warnings of different counts are refused (B15)")
  func validationCounts() throws {
    let attribute = AttributeDescription(name: "age", type: .integer16)
    let predicate = UnparsedPredicate("SELF >= 0")
    #expect(throws: PersistenceError(.invalidModel, "")) {
      try attribute.setValidationPredicates([predicate], withValidationWarnings: [])
    }
    #expect(attribute.validationPredicates.isEmpty)
    try attribute.setValidationPredicates(
      [predicate, UnparsedPredicate("SELF < 200")],
      withValidationWarnings: ["too small", 17])
    #expect(attribute.validationPredicates.map(\.predicateFormat) == ["SELF >= 0", "SELF < 200"])
    #expect(attribute.validationWarnings == [.message("too small"), .code(17)])
  }

  @Test("properties are found by name and kind, inherited ones first (B300)")
  func lookup() throws {
    let company = Company()
    for _ in 0..<2 {
      #expect(
        company.employee.properties.map(\.name) == ["name", "age", "office", "tags", "salary"])
      #expect(company.employee.declaredProperties == [company.salary])
      #expect(company.employee.attributesByName.keys.sorted() == ["age", "name", "salary"])
      #expect(company.employee.relationshipsByName["office"] === company.office)
      #expect(company.employee.propertiesByName["age"] === company.age)
      #expect(company.employee.property(named: "nothing") == nil)
      #expect(
        company.employee.relationships(forDestination: company.department) == [company.office])
      #expect(company.employee.map(\.name) == company.employee.properties.map(\.name))
      #expect(Array(company.model) == company.model.entities)
      #expect(company.model.entitiesByName["Tag"] === company.tag)
      try company.model.freeze()
    }
  }

  @Test("setting properties leaves inherited ones where they are")
  func settingProperties() {
    let company = Company()
    let nickname = AttributeDescription(name: "nickname", type: .string)
    company.employee.properties.append(nickname)
    #expect(company.employee.declaredProperties == [company.salary, nickname])
    #expect(company.person.declaredProperties.count == 4)
    #expect(nickname.entity === company.employee)
    company.employee.properties = [company.name]
    #expect(company.employee.declaredProperties.isEmpty)
    #expect(nickname.entity == nil)
  }

  @Test("the default value comes and goes as Core Data's programs expect")
  func defaultValues() {
    let attribute = AttributeDescription(name: "age", type: .integer16)
    #expect(attribute.defaultValue == nil)
    attribute.defaultValue = 36
    #expect(attribute.defaultValue as? Int == 36)
    #expect(attribute.defaultConstant == .integer(36))
    attribute.defaultValue = NSNumber(value: 7)
    #expect(attribute.defaultConstant == .integer(7))
    attribute.defaultValue = NSNull()
    #expect(attribute.defaultConstant == .null)
    let flag = AttributeDescription(name: "isOpen", type: .boolean)
    flag.defaultValue = NSNumber(value: 1)
    #expect(flag.defaultValue as? Bool == true)
    let price = AttributeDescription(name: "price", type: .decimal)
    price.defaultValue = NSDecimalNumber(string: "1.5")
    #expect(price.defaultValue as? Decimal == Decimal(string: "1.5"))
  }
}
