// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("A model in use")
struct FreezingTests {
  @Test("a model can be changed until it is used, and then refuses every change (B1)")
  func refusesChanges() throws {
    let company = Company()
    company.age.isOptional = false
    try company.model.edit { $0.versionIdentifiers = ["1"] }
    try company.model.freeze()
    #expect(company.model.isFrozen)
    #expect(throws: PersistenceError(.modelInUse, "")) { try company.model.checkEditable() }
    #expect(throws: PersistenceError(.modelInUse, "")) {
      try company.model.edit { $0.versionIdentifiers = ["2"] }
    }
    #expect(throws: PersistenceError(.modelInUse, "")) {
      try company.model.setEntities([company.person], forConfigurationName: "People")
    }
    #expect(throws: PersistenceError(.modelInUse, "")) {
      try company.model.setFetchRequestTemplate(nil, forName: "all")
    }
    #expect(throws: PersistenceError(.modelInUse, "")) {
      try company.name.setValidationPredicates([], withValidationWarnings: [])
    }
    #expect(company.model.versionIdentifiers == ["1"])
    #expect(company.model.configurations.isEmpty)
  }

  @Test("a model that is not consistent stays as it is, and can be mended")
  func failedFreeze() throws {
    let company = Company()
    company.office.destinationEntity = nil
    #expect(throws: PersistenceError(.invalidModel, "")) { try company.model.freeze() }
    #expect(!company.model.isFrozen)
    company.office.destinationEntity = company.department
    try company.model.freeze()
    try company.model.freeze()
    #expect(company.office.slot != nil)
  }

  @Test("a model is frozen once, by however many threads use it first")
  func concurrentFreeze() async throws {
    let company = Company()
    let model = company.model
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { try model.freeze() } }
      try await group.waitForAll()
    }
    #expect(company.person.layout === company.person.layout)
    #expect(model.linkTables.count == 1)
  }

  @Test("a class finds its entity in a model in use; two entities of one class do not answer")
  func classes() throws {
    class PersonObject {}
    class SharedObject {}
    let company = Company()
    company.person.managedObjectClass = PersonObject.self
    company.tag.managedObjectClass = SharedObject.self
    company.department.managedObjectClass = SharedObject.self
    for _ in 0..<2 {
      #expect(
        company.model.entity(forClass: ObjectIdentifier(PersonObject.self)) === company.person)
      #expect(company.model.entity(forClass: ObjectIdentifier(SharedObject.self)) == nil)
      try company.model.freeze()
    }
  }
}

@Suite("The life of descriptions")
struct DescriptionLifetimeTests {
  @Test(
    "a model and everything in it goes when nobody holds it, used or not", arguments: [false, true])
  func noLeaks(frozen: Bool) throws {
    weak var model: ManagedObjectModel?
    weak var entity: EntityDescription?
    weak var relationship: RelationshipDescription?
    do {
      let company = Company()
      company.employee.indexes = [
        FetchIndexDescription(
          name: "bySalary", elements: [FetchIndexElementDescription(property: company.salary)])
      ]
      if frozen { try company.model.freeze() }
      model = company.model
      entity = company.employee
      relationship = company.people
    }
    #expect(model == nil)
    #expect(entity == nil)
    #expect(relationship == nil)
  }

  @Test("an object ID keeps the model of its entity alive")
  func identifiers() throws {
    var company: Company? = Company()
    try company?.model.freeze()
    let id = IDScope.makeTemporaryID(for: try #require(company?.employee))
    company = nil
    #expect(id.entity.superentity?.name == "Person")
    #expect(id.entity.managedObjectModel?.entities.count == 4)
  }
}
