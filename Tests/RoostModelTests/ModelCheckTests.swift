// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("The check of a model")
struct ModelCheckTests {
  @Test("a consistent model has no faults; a relationship without an inverse is none")
  func noFaults() throws {
    let company = Company()
    company.tag.properties.append(
      RelationshipDescription(name: "origin", destination: company.department, maxCount: 1))
    #expect(company.faults == [])
    try company.model.check()
  }

  @Test("all faults are reported at once, each with its place")
  func allAtOnce() throws {
    let company = Company()
    company.age.type = .undefined
    company.office.destinationEntity = nil
    company.title.defaultValue = 5
    company.tag.name = "Person"
    company.person.uniquenessConstraints = [["nothing"]]
    let error = #expect(throws: PersistenceError.self) { try company.model.check() }
    #expect(error?.code == .invalidModel)
    let places = Set(
      error?.underlyingErrors.map { "\($0.entityName ?? "").\($0.key ?? "")" } ?? [])
    #expect(places.isSuperset(of: ["Person.age", "Person.office", "Department.title"]))
    #expect(places.isSuperset(of: ["Person.", "Person.nothing"]))
    #expect(error?.underlyingErrors.allSatisfy { $0.code == .invalidModel } == true)
  }

  @Test(
    "names that would mean something else are refused", arguments: ["", "a\0b", "a.b", "@count"])
  func hostileNames(name: String) {
    let company = Company()
    company.age.name = name
    company.tag.name = name
    #expect(company.faults.filter { $0.contains("name ") }.count == 2)
  }

  @Test(
    "quotes, SQL words, other scripts, digits and long names are names like others",
    arguments: [
      "select", "\"; DROP TABLE \"", "a'b", "`x`", "Größe", "名前", "1st", "order by",
      "$x", "Z_PK", "👩‍👩‍👧", " ", String(repeating: "n", count: 200),
    ])
  func unusualNames(name: String) throws {
    let company = Company()
    company.age.name = name
    company.tag.name = name
    #expect(company.faults == [])
    try company.model.freeze()
    #expect(company.employee.layout.slot(named: name) == company.age.slot)
    #expect(company.model.entitiesByName[name] === company.tag)
  }

  @Test(
    "a property cannot have the name of a member of every managed object",
    arguments: ["objectID", "entity", "isFault", "description", "hashValue", "self", "willSave"])
  func reservedNames(name: String) {
    let company = Company()
    company.age.name = name
    #expect(
      company.faults == ["Person.\(name): “\(name)” is a member of every managed object."])
  }

  @Test("names that Unicode takes for equal are doubles, since a dictionary does")
  func equivalentNames() {
    let company = Company()
    company.age.name = "caf\u{E9}"
    company.name.name = "cafe\u{301}"
    #expect(company.faults.count == 1)
  }

  @Test("a property that is inherited cannot be defined again (B300)")
  func redefinition() {
    let company = Company()
    company.employee.properties.append(AttributeDescription(name: "age", type: .integer32))
    #expect(
      company.faults == ["Employee.age: “age” is inherited from “Person” already."])
    company.salary.name = "age"
    #expect(company.faults.contains { $0.contains("Two properties") })
  }

  @Test("hierarchies that run in circles are found, and nothing runs for ever")
  func cycles() {
    let company = Company()
    company.employee.subentities = [company.person]
    #expect(company.faults.filter { $0.contains("inherits from itself") }.count == 2)
    #expect(company.person.concreteEntities.count == 2)
    #expect(company.person.properties.count == 5)
    #expect(company.person.isKindOf(entity: company.employee))
    #expect(company.person.versionHash.count == 32)
    #expect(!company.model.copy().findFaults().isEmpty)
    company.tag.subentities = [company.tag]
    #expect(company.faults.contains { $0.hasPrefix("Tag.:") })
    company.employee.subentities = []
    company.tag.subentities = []
  }

  @Test("an entity below two others, outside the model or listed twice is found")
  func brokenHierarchies() {
    let company = Company()
    company.department.subentities = [company.employee]
    #expect(company.faults == ["Person.: The subentity “Employee” has another superentity too."])
    company.department.subentities = [EntityDescription(name: "Stranger")]
    #expect(company.faults.contains { $0.contains("“Stranger” is not part of the model") })
    company.department.subentities = []
    company.person.subentities = [company.employee]
    company.model.entities = [company.employee, company.department, company.tag]
    #expect(company.faults.contains { $0.contains("superentity “Person” is not part") })
    company.model.entities = [company.tag, company.tag]
    #expect(company.faults.contains { $0.contains("listed twice") })
  }

  @Test("an entity of another model is found")
  func strangers() {
    let company = Company()
    let other = ManagedObjectModel(entities: [company.tag])
    #expect(company.faults == ["Tag.: The entity belongs to another model; copy it for this one."])
    other.entities = []
    company.model.entities = company.model.entities
    #expect(company.faults == [])
  }

  @Test("a relationship leads somewhere, and its inverse leads back")
  func relationships() {
    let company = Company()
    company.people.inverseRelationship = nil
    #expect(company.faults.contains { $0.contains("does not name this relationship") })
    company.people.inverseRelationship = company.office
    company.office.inverseRelationship = company.tagged
    #expect(company.faults.contains { $0.contains("does not belong to the destination") })
    company.office.inverseRelationship = company.people
    company.people.destinationEntity = company.employee
    #expect(company.faults.contains { $0.contains("does not lead back") })
    company.people.destinationEntity = EntityDescription(name: "Stranger")
    #expect(company.faults.contains { $0.contains("“Stranger” is not part of the model") })
    company.people.destinationEntity = company.person
    company.people.isTransient = true
    #expect(company.faults.contains { $0.contains("both stored or both transient") })
  }

  @Test("counts and order of a relationship make sense (B7)")
  func counts() {
    let company = Company()
    company.office.isOrdered = true
    company.tags.minCount = 3
    company.tags.maxCount = 2
    company.tagged.minCount = -1
    #expect(company.faults.count == 3)
  }
}
