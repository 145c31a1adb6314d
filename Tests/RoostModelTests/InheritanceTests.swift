// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Inheritance")
struct InheritanceTests {
  @Test("an entity has the instances of all concrete subentities (B299)")
  func concreteEntities() throws {
    let company = Company()
    let manager = EntityDescription(name: "Manager")
    company.employee.subentities = [manager]
    company.employee.isAbstract = true
    company.model.entities.append(manager)
    for _ in 0..<2 {
      #expect(company.person.concreteEntities == [company.person, manager])
      #expect(company.employee.concreteEntities == [manager])
      #expect(manager.rootEntity === company.person)
      #expect(company.tag.rootEntity === company.tag)
      try company.model.freeze()
    }
  }

  @Test("an entity is a kind of itself and of its superentities, and of no other (B302)")
  func kinds() throws {
    let company = Company()
    let manager = EntityDescription(name: "Manager")
    let customer = EntityDescription(name: "Customer")
    company.employee.subentities = [manager]
    company.person.subentities = [company.employee, customer]
    company.model.entities += [manager, customer]
    for _ in 0..<2 {
      #expect(manager.isKindOf(entity: manager))
      #expect(manager.isKindOf(entity: company.employee))
      #expect(manager.isKindOf(entity: company.person))
      #expect(!manager.isKindOf(entity: customer))
      #expect(!customer.isKindOf(entity: company.employee))
      #expect(!company.person.isKindOf(entity: company.employee))
      #expect(!company.tag.isKindOf(entity: company.person))
      try company.model.freeze()
    }
    let copy = company.model.copy()
    try copy.freeze()
    #expect(copy.entitiesByName["Manager"]?.isKindOf(entity: company.person) == false)
  }

  @Test("an ID has the concrete entity of its object (B301)")
  func concreteEntityOfID() throws {
    let company = Company()
    try company.model.freeze()
    let id = IDScope.makeTemporaryID(for: company.employee)
    #expect(id.entity === company.employee)
    #expect(id.isTemporaryID)
    #expect(id.description.hasPrefix("temporary Employee t"))
  }

  @Test("keys of two entities never clash, whatever their sequence (B303)")
  func keys() {
    var keys: Set<Int64> = []
    for sequence in [Int64(1), 2, 1 << 40] {
      for code in [1, 2, RecordKey.largestEntityCode] {
        let key = RecordKey.make(sequence: sequence, entityCode: code)
        #expect(keys.insert(key).inserted)
        #expect(RecordKey.sequence(of: key) == sequence)
        #expect(RecordKey.entityCode(of: key) == code)
      }
    }
  }

  @Test("an inherited relationship is one description, with one storage (B304)")
  func inheritedRelationship() throws {
    let company = Company()
    try company.model.freeze()
    #expect(company.employee.relationshipsByName["office"] === company.office)
    #expect(company.employee.relationshipsInOrder == company.person.relationshipsInOrder)
    for entity in company.model {
      for (ordinal, relationship) in entity.relationshipsInOrder.enumerated() {
        #expect(relationship.ordinal == ordinal)
      }
    }
  }

  @Test("equality of IDs is of store and key; temporary IDs are all different (B25)")
  func equality() throws {
    let company = Company()
    try company.model.freeze()
    let store = StoreIdentity(identifier: "S", type: "test")
    let again = StoreIdentity(identifier: "S", type: "test")
    let other = StoreIdentity(identifier: "T", type: "test")
    let id = ObjectID(scope: IDScope(entity: company.person, store: store), key: 4097)
    #expect(id == ObjectID(scope: IDScope(entity: company.person, store: again), key: 4097))
    #expect(id != ObjectID(scope: IDScope(entity: company.person, store: other), key: 4097))
    #expect(id != ObjectID(scope: id.scope, key: 8193))
    #expect(id.description == "roost://S/Person/p1")
    let first = IDScope.makeTemporaryID(for: company.person)
    #expect(first != IDScope.makeTemporaryID(for: company.person))
    #expect(first == first)
  }
}
