// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Copies of models")
struct CopyingTests {
  @Test("a copy of a model in use can be changed and leaves the original alone (B2)")
  func copyIsMutable() throws {
    let company = Company()
    try company.model.setEntities([company.tag], forConfigurationName: "Tags")
    try company.model.freeze()
    let hashes = company.model.entityVersionHashesByName

    let copy = company.model.copy()
    #expect(!copy.isFrozen)
    #expect(copy.entityVersionHashesByName == hashes)
    try copy.checkEditable()
    let person = try #require(copy.entitiesByName["Person"])
    #expect(person !== company.person)
    person.properties.append(AttributeDescription(name: "nickname", type: .string))
    copy.entitiesByName["Employee"]?.attributesByName["salary"]?.isOptional = false
    try copy.freeze()

    #expect(company.person.propertiesByName["nickname"] == nil)
    #expect(company.salary.isOptional)
    #expect(company.model.entityVersionHashesByName == hashes)
    #expect(copy.entityVersionHashesByName["Person"] != hashes["Person"])
    #expect(copy.entityVersionHashesByName["Tag"] == hashes["Tag"])
    #expect(copy.entities(forConfigurationName: "Tags")?.first === copy.entitiesByName["Tag"])
  }

  @Test("what refers to a part of the model refers to the copied part in the copy (B2)")
  func references() throws {
    let company = Company()
    let index = FetchIndexDescription(
      name: "byName", elements: [FetchIndexElementDescription(property: company.name)])
    company.person.indexes = [index]
    let copy = company.model.copy()
    let person = try #require(copy.entitiesByName["Person"])
    let office = try #require(person.relationshipsByName["office"])
    #expect(office.destinationEntity === copy.entitiesByName["Department"])
    #expect(
      office.inverseRelationship
        === copy.entitiesByName["Department"]?.relationshipsByName["people"])
    #expect(office.inverseRelationship?.deleteRule == .cascade)
    #expect(person.subentities == [copy.entitiesByName["Employee"]])
    #expect(copy.entitiesByName["Employee"]?.superentity === person)
    #expect(person.indexes.map(\.name) == ["byName"])
    #expect(person.indexes.first?.elements.first?.property === person.propertiesByName["name"])
    #expect(company.person.indexes.first === index)
  }

  @Test("a copy has every setting of every kind of description")
  func settings() throws {
    let company = Company()
    let attribute = company.age
    attribute.defaultValue = 3
    attribute.minValue = 0
    attribute.maxValue = 150
    attribute.userInfo = ["unit": "year"]
    attribute.versionHashModifier = "2"
    attribute.renamingIdentifier = "years"
    attribute.preservesValueInHistoryOnDeletion = true
    try attribute.setValidationPredicates(
      [UnparsedPredicate("SELF != 13")], withValidationWarnings: ["unlucky"])
    company.name.minLength = 1
    company.name.maxLength = 80
    company.name.regularExpression = "[A-Z].*"
    let derived = DerivedAttributeDescription(name: "count", type: .integer64)
    derived.derivationExpression = UnparsedExpression("count:(people)")
    let fetched = FetchedPropertyDescription(name: "rich", fetchRequest: Template("Person"))
    let address = CompositeAttributeDescription(
      name: "address",
      elements: [
        AttributeDescription(name: "city", type: .string),
        CompositeAttributeDescription(
          name: "place", elements: [AttributeDescription(name: "north", type: .double)]),
      ])
    company.department.properties += [derived, fetched, address]
    company.person.uniquenessConstraints = [["name", "age"]]
    company.model.localizationDictionary = ["Entity/Person": "Mensch"]
    try company.model.setFetchRequestTemplate(Template("Tag"), forName: "tags")

    let copy = company.model.copy()
    for (name, hash) in company.model.entityVersionHashesByName {
      #expect(copy.entityVersionHashesByName[name] == hash)
      let original = try #require(company.model.entitiesByName[name])
      let copied = try #require(copy.entitiesByName[name])
      #expect(original.isDefinedLike(copied))
    }
    let age = try #require(copy.entitiesByName["Person"]?.attributesByName["age"])
    #expect(age.userInfo["unit"] as? String == "year")
    #expect(age.renamingIdentifier == "years")
    #expect(age.preservesValueInHistoryOnDeletion)
    #expect(age.validationWarnings == ["unlucky"])
    #expect(copy.localizationDictionary == ["Entity/Person": "Mensch"])
    #expect(copy.fetchRequestTemplate(forName: "tags")?.templateEntityName == "Tag")
    let department = try #require(copy.entitiesByName["Department"])
    let addressCopy = department.propertiesByName["address"] as? CompositeAttributeDescription
    #expect(addressCopy?.leaves.map(\.name) == ["address.city", "address.place.north"])
    #expect(addressCopy?.elements.first !== address.elements.first)
    #expect(
      department.fetchedPropertiesByName["rich"]?.fetchRequest?.templateEntityName == "Person")
    try copy.freeze()
    #expect(!company.model.isFrozen)
  }

  @Test("a composite that contains itself can be copied, and is found by the check")
  func cyclicComposite() {
    let inner = CompositeAttributeDescription(name: "inner")
    let outer = CompositeAttributeDescription(name: "outer", elements: [inner])
    inner.elements = [outer]
    defer { inner.elements = [] }
    let company = Company()
    company.tag.properties.append(outer)
    let copy = company.model.copy()
    #expect(throws: PersistenceError(.invalidModel, "")) { try copy.check() }
    let copied = copy.entitiesByName["Tag"]?.propertiesByName["outer"]
    (copied as? CompositeAttributeDescription)?.elements = []
  }
}

/// A fetch request with an entity and a condition only.
struct Template: ModelFetchRequest {
  let templateEntityName: String?
  let templatePredicateFormat: String?

  init(_ entityName: String, _ predicate: String? = nil) {
    templateEntityName = entityName
    templatePredicateFormat = predicate
  }

  var templateSnapshot: any ModelFetchRequest { self }
}
