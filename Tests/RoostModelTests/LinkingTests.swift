// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Parts of a model found by name")
struct LinkingTests {
  /// Makes two entities whose properties are copies of descriptions that belong to no entity.
  private func makeModelOfCopies() -> ManagedObjectModel {
    let node = EntityDescription(name: "Node")
    let tag = EntityDescription(name: "Tag")
    let one = RelationshipDescription(name: "node", destination: node, maxCount: 1)
    let many = RelationshipDescription(name: "tags", destination: tag)
    one.inverseRelationship = many
    many.inverseRelationship = one
    node.properties = [AttributeDescription(name: "name", type: .string), many.copy()]
    tag.properties = [one.copy()]
    return ManagedObjectModel(entities: [node, tag])
  }

  @Test("relationships made by copying name the model's inverses (B339)")
  func copiedRelationships() throws {
    let model = makeModelOfCopies()
    let hashes = model.entityVersionHashesByName
    try model.freeze()
    let many = try #require(model.entitiesByName["Node"]?.relationshipsByName["tags"])
    let one = try #require(model.entitiesByName["Tag"]?.relationshipsByName["node"])
    #expect(many.inverseRelationship === one)
    #expect(one.inverseRelationship === many)
    #expect(model.entityVersionHashesByName == hashes)
    guard case .toOne = one.storage, case .inverseOfToOne = many.storage else {
      Issue.record("The relationships are stored apart.")
      return
    }
  }

  @Test("one pair of relationships copied into several pairs of entities (B339)")
  func reusedRelationships() throws {
    let one = RelationshipDescription(name: "owner", maxCount: 1)
    let many = RelationshipDescription(name: "parts")
    one.inverseRelationship = many
    many.inverseRelationship = one
    var entities: [EntityDescription] = []
    for name in ["A", "B", "C"] {
      let owner = EntityDescription(name: name)
      let part = EntityDescription(name: name + "Part")
      one.destinationEntity = owner
      many.destinationEntity = part
      // The last pair uses the descriptions themselves.
      owner.properties = [name == "C" ? many : many.copy()]
      part.properties = [name == "C" ? one : one.copy()]
      entities += [owner, part]
    }
    let model = ManagedObjectModel(entities: entities)
    try model.freeze()
    for name in ["A", "B", "C"] {
      let parts = try #require(model.entitiesByName[name]?.relationshipsByName["parts"])
      #expect(parts.destinationEntity === model.entitiesByName[name + "Part"])
      #expect(parts.inverseRelationship?.entity === parts.destinationEntity)
      #expect(parts.inverseRelationship?.inverseRelationship === parts)
    }
  }

  @Test("a destination, a subentity and a superentity are found by name (B339)")
  func copiedEntities() throws {
    let company = Company()
    company.office.destinationEntity = company.department.copy()
    company.tags.destinationEntity = EntityDescription(name: "Tag")
    company.person.subentities = [company.employee.copy()]
    try company.model.freeze()
    #expect(company.office.destinationEntity === company.department)
    #expect(company.tags.destinationEntity === company.tag)
    #expect(company.employee.superentity === company.person)
    #expect(company.employee.propertiesByName["name"] === company.name)

    let other = Company()
    let person = other.person.copy()
    other.model.entities = [person, other.employee, other.department, other.tag]
    other.people.inverseRelationship = other.office
    try other.model.freeze()
    #expect(other.employee.superentity === person)
    #expect(other.people.destinationEntity === person)
    #expect(other.people.inverseRelationship === person.relationshipsByName["office"])
  }

  @Test("an index names its properties, whatever description it was made with (B339)")
  func copiedIndexElements() throws {
    let company = Company()
    func element(_ property: PropertyDescription) -> FetchIndexElementDescription {
      FetchIndexElementDescription(property: property)
    }
    company.person.indexes = [
      FetchIndexDescription(
        name: "made again", elements: [element(AttributeDescription(name: "name", type: .string))]),
      FetchIndexDescription(name: "copied", elements: [element(company.office.copy())]),
    ]
    company.employee.indexes = [
      FetchIndexDescription(name: "inherited", elements: [element(company.age.copy())])
    ]
    try company.model.freeze()
    let elements = (company.person.indexes + company.employee.indexes).flatMap(\.elements)
    #expect(elements.map(\.property) == [company.name, company.office, company.age])

    let wrong = Company()
    wrong.tag.indexes = [
      FetchIndexDescription(
        name: "wrong", elements: [element(AttributeDescription(name: "name", type: .string))])
    ]
    #expect(wrong.faults.contains { $0.contains("names “name”, which is no property") })
  }

  @Test("a property or an index that is given to several entities is one of each (B339)")
  func sharedParts() throws {
    let created = AttributeDescription(name: "created", type: .date)
    let index = FetchIndexDescription(
      name: "byCreation", elements: [FetchIndexElementDescription(property: created)])
    let entities = ["A", "B"].map { EntityDescription(name: $0) }
    for entity in entities {
      entity.properties = [created]
      entity.indexes = [index]
    }
    created.isOptional = false
    try ManagedObjectModel(entities: entities).freeze()
    for entity in entities {
      let own = try #require(entity.attributesByName["created"])
      #expect(own.entity === entity)
      #expect(!own.isOptional)
      #expect(entity.indexes.map(\.entity) == [entity])
      #expect(entity.indexes[0].elements[0].property === own)
    }
  }

  @Test("a property of a model in use stays where it is (B1, B339)")
  func propertyInUse() throws {
    let company = Company()
    company.person.indexes = [
      FetchIndexDescription(
        name: "byName", elements: [FetchIndexElementDescription(property: company.name)])
    ]
    try company.model.freeze()
    let animal = EntityDescription(name: "Animal")
    animal.properties = [company.name]
    animal.indexes = company.person.indexes
    try ManagedObjectModel(entities: [animal]).freeze()
    #expect(company.name.entity === company.person)
    #expect(company.name.slot?.index == company.person.layout.slot(named: "name")?.index)
    #expect(animal.attributesByName["name"]?.entity === animal)
    #expect(animal.indexes[0].elements[0].property === animal.attributesByName["name"])
    #expect(company.person.indexes[0].elements[0].property === company.name)
  }

  @Test("a configuration takes the model's entity for a copy of it (B16, B339)")
  func configurations() throws {
    let company = Company()
    try company.model.setEntities([company.tag.copy()], forConfigurationName: "Tags")
    #expect(company.model.entities(forConfigurationName: "Tags")?.first === company.tag)
    #expect(throws: PersistenceError.self) {
      try company.model.setEntities([EntityDescription(name: "X")], forConfigurationName: "Tags")
    }
  }
}
