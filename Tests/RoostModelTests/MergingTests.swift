// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Merged models and configurations")
struct MergingTests {
  private func model(_ names: String...) -> ManagedObjectModel {
    ManagedObjectModel(
      entities: names.map { name in
        let entity = EntityDescription(name: name)
        entity.properties = [AttributeDescription(name: "title", type: .string)]
        return entity
      })
  }

  @Test("merging unites entities, templates, configurations and version identifiers (B17)")
  func union() throws {
    let first = model("Book", "Author")
    let second = model("Author", "Shop")
    first.versionIdentifiers = ["a"]
    second.versionIdentifiers = ["b"]
    try first.setFetchRequestTemplate(Template("Book"), forName: "books")
    try second.setFetchRequestTemplate(Template("Shop"), forName: "shops")
    try first.setEntities(Array(first.entities.prefix(1)), forConfigurationName: "Main")
    try second.setEntities(Array(second.entities.suffix(1)), forConfigurationName: "Main")
    let merged = try ManagedObjectModel(byMerging: [first, second])
    #expect(merged.entities.compactMap(\.name) == ["Book", "Author", "Shop"])
    #expect(merged.versionIdentifiers == ["a", "b"])
    #expect(merged.fetchRequestTemplatesByName.keys.sorted() == ["books", "shops"])
    #expect(
      merged.entities(forConfigurationName: "Main")?.compactMap(\.name) == ["Book", "Shop"])
    try merged.freeze()
    #expect(!first.isFrozen)
    #expect(first.entities.count == 2)
    #expect(first.entitiesByName["Book"] !== merged.entitiesByName["Book"])
  }

  @Test("two definitions of one name cannot be merged, and all of them are named (B17)")
  func clashes() throws {
    let first = model("Book", "Author", "Shop")
    let second = model("Book", "Author", "Shop")
    second.entitiesByName["Book"]?.isAbstract = true
    second.entitiesByName["Shop"]?.attributesByName["title"]?.defaultValue = "none"
    try first.setFetchRequestTemplate(Template("Book", "a == 1"), forName: "books")
    try second.setFetchRequestTemplate(Template("Book", "a == 2"), forName: "books")
    let error = #expect(throws: PersistenceError.self) {
      try ManagedObjectModel(byMerging: [first, second])
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.underlyingErrors.compactMap(\.entityName) == ["Book", "Shop"])
    #expect(error?.underlyingErrors.count == 3)
  }

  @Test("relationships of merged models lead to the merged entities")
  func relationships() throws {
    let company = Company()
    let copy = company.model.copy()
    let manager = EntityDescription(name: "Manager")
    copy.entities.append(manager)
    copy.entitiesByName["Employee"]?.subentities.append(manager)
    let index = FetchIndexDescription(
      name: "byName", elements: [FetchIndexElementDescription(property: company.name)])
    company.person.indexes = [index]

    let merged = try ManagedObjectModel(byMerging: [company.model, copy])
    try merged.freeze()
    let person = try #require(merged.entitiesByName["Person"])
    let office = try #require(person.relationshipsByName["office"])
    #expect(office.destinationEntity === merged.entitiesByName["Department"])
    #expect(office.inverseRelationship?.destinationEntity === person)
    #expect(
      merged.entitiesByName["Manager"]?.superentity === merged.entitiesByName["Employee"])
    #expect(person.indexes.map(\.name) == ["byName"])
    #expect(company.person.indexes.count == 1)
  }

  @Test("a merged model is only made when it fits a store's hashes (B246)")
  func forMetadata() throws {
    let models = [model("Book"), model("Author")]
    let hashes = try ManagedObjectModel(byMerging: models).entityVersionHashesByName
    #expect(try ManagedObjectModel(byMerging: models, forStoreMetadata: hashes) != nil)
    #expect(
      try ManagedObjectModel(byMerging: [models[0]], forStoreMetadata: hashes) == nil)
  }

  @Test("configurations are named subsets that may overlap; no name means all entities (B16)")
  func configurations() throws {
    let company = Company()
    let model = company.model
    try model.setEntities([company.person, company.employee], forConfigurationName: "People")
    try model.setEntities([company.person, company.tag], forConfigurationName: "Disk")
    #expect(model.configurations == ["Disk", "People"])
    #expect(model.entities(forConfigurationName: "Disk") == [company.person, company.tag])
    #expect(model.entities(forConfigurationName: nil) == model.entities)
    #expect(model.entities(forConfigurationName: "Cloud") == nil)
    #expect(throws: PersistenceError(.unknownEntity, "")) {
      try model.setEntities([EntityDescription(name: "Stranger")], forConfigurationName: "Disk")
    }
    #expect(model.entities(forConfigurationName: "Disk")?.count == 2)
    company.person.subentities = []
    model.entities = [company.person, company.tag]
    #expect(model.entities(forConfigurationName: "People") == [company.person])
  }
}
