// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Entities that outlive their model")
struct RetiredEntityTests {
  @Test(
    "an entity that outlives its model keeps its relatives and its hash", arguments: [true, false])
  func survivors(isUsed: Bool) throws {
    var company: Company? = Company()
    if isUsed { try company?.model.freeze() }
    let hashes = try #require(company?.model.entityVersionHashesByName)
    let person = try #require(company?.person)
    let employee = try #require(company?.employee)
    company = nil
    for entity in [person, employee] {
      #expect(entity.versionHash == hashes[entity.name ?? ""])
      let office = try #require(entity.relationshipsByName["office"])
      #expect(office.destinationEntity?.name == "Department")
      #expect(office.destinationEntity?.versionHash == hashes["Department"])
      #expect(office.inverseRelationship?.name == "people")
      let back = office.inverseRelationship?.destinationEntity
      #expect(back?.relationshipsByName["tags"]?.destinationEntity?.name == "Tag")
      #expect(back == person)
    }
    #expect(employee.superentity?.name == "Person")
    #expect(employee.superentity == person)
    #expect(employee.propertiesByName["age"] != nil)
    #expect(employee.isKindOf(entity: person))
    #expect(person.subentities.map(\.name) == ["Employee"])
    #expect(person.subentities.first?.superentity == person)
    #expect(person.managedObjectModel == nil)
  }

  @Test("a subentity that alone outlives its model keeps what it inherits")
  func loneSubentity() throws {
    func makeEmployee() throws -> (EntityDescription, Set<String>) {
      let company = Company()
      return (company.employee, Set(company.employee.propertiesByName.keys))
    }
    let (employee, names) = try makeEmployee()
    #expect(Set(employee.propertiesByName.keys) == names)
    #expect(employee.rootEntity.name == "Person")
    #expect(employee == Company().employee)
  }

  @Test("what an entity keeps of its model goes with it")
  func release() throws {
    weak var copies: ManagedObjectModel?
    weak var destination: EntityDescription?
    do {
      let entity = Company().person
      copies = entity.remains
      destination = entity.relationshipsByName["office"]?.destinationEntity
      #expect(copies != nil)
      #expect(destination != nil)
    }
    #expect(copies == nil)
    #expect(destination == nil)
  }

  @Test("nothing is copied when nobody holds an entity")
  func noSurvivors() {
    weak var person: EntityDescription?
    weak var tagged: RelationshipDescription?
    do {
      let company = Company()
      person = company.person
      tagged = company.tagged
    }
    #expect(person == nil)
    #expect(tagged == nil)
  }

  @Test("entities whose model went away can be used in another model")
  func secondModel() throws {
    var company: Company? = Company()
    let entities = try #require(company?.model.entities)
    let hashes = company?.model.entityVersionHashesByName
    company = nil
    let model = ManagedObjectModel(entities: entities)
    #expect(model.findFaults() == [])
    #expect(model.entityVersionHashesByName == hashes)
    try model.freeze()
    #expect(model.entityVersionHashesByName == hashes)
    let office = model.entitiesByName["Person"]?.relationshipsByName["office"]
    #expect(office?.destinationEntity === model.entitiesByName["Department"])
    #expect(model.entitiesByName["Employee"]?.superentity === model.entitiesByName["Person"])
  }

  @Test("a relationship that is its own inverse keeps its hash")
  func ownInverse() throws {
    func makeEntity() -> EntityDescription {
      let person = EntityDescription(name: "Person")
      let friends = RelationshipDescription(name: "friends", destination: person)
      friends.inverseRelationship = friends
      person.properties = [friends]
      return person
    }
    var model: ManagedObjectModel? = ManagedObjectModel(entities: [makeEntity()])
    let hash = model?.entities.first?.versionHash
    let person = try #require(model?.entities.first)
    model = nil
    #expect(person.versionHash == hash)
    #expect(person.relationshipsByName["friends"]?.inverseRelationship?.name == "friends")
    #expect(person.relationshipsByName["friends"]?.destinationEntity?.versionHash == hash)
  }
}
