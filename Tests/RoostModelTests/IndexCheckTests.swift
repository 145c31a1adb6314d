// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("The check of indexes, constraints and sizes")
struct IndexCheckTests {
  @Test("an index does not mix kinds; R-trees are for required numbers of 32 bits (B13)")
  func indexKinds() {
    let company = Company()
    let age = FetchIndexElementDescription(property: company.age, collationType: .rTree)
    let name = FetchIndexElementDescription(property: company.name)
    company.person.indexes = [FetchIndexDescription(name: "both", elements: [age, name])]
    #expect(company.faults.contains { $0.contains("mixes R-tree and binary elements") })
    company.person.indexes = [FetchIndexDescription(name: "age", elements: [age])]
    #expect(company.faults.count == 1)
    company.age.isOptional = false
    #expect(company.faults == [])
    company.age.type = .integer64
    #expect(company.faults.count == 1)
  }

  @Test("an index has elements with stored values, and a name of its own (B13)")
  func indexElements() {
    let company = Company()
    let photo = AttributeDescription(name: "photo", type: .binaryData)
    photo.isTransient = true
    let address = CompositeAttributeDescription(
      name: "address", elements: [AttributeDescription(name: "city", type: .string)])
    company.person.properties += [photo, address]
    let names = ["nothing", "tags", "photo", "address", "address.street"]
    company.person.indexes =
      names.map {
        FetchIndexDescription(name: $0, elements: [FetchIndexElementDescription(propertyName: $0)])
      } + [FetchIndexDescription(name: "tags", elements: [])]
    #expect(company.faults.count == 7)
    let expression = ExpressionDescription(
      name: "upper", expression: UnparsedExpression("uppercase:(name)"), resultType: .string)
    company.person.indexes = [
      FetchIndexDescription(
        name: "good",
        elements: [
          FetchIndexElementDescription(propertyName: "address.city"),
          FetchIndexElementDescription(property: company.office),
          FetchIndexElementDescription(property: expression),
        ])
    ]
    #expect(company.faults == [])
  }

  @Test("editing the hierarchy drops all of its indexes (B12)")
  func droppedIndexes() {
    let company = Company()
    func setIndexes() {
      for (entity, name) in [(company.person, "name"), (company.employee, "salary")] {
        entity.indexes = [
          FetchIndexDescription(
            name: "index", elements: [FetchIndexElementDescription(propertyName: name)])
        ]
      }
      company.tag.indexes = company.person.indexes.map { $0.copy() }
    }
    let edits: [() -> Void] = [
      { company.employee.properties.removeLast() },
      { company.person.properties.append(AttributeDescription(name: "x", type: .string)) },
      { company.employee.subentities = [EntityDescription(name: "Manager")] },
    ]
    for edit in edits {
      setIndexes()
      edit()
      #expect(company.person.indexes.isEmpty)
      #expect(company.employee.indexes.isEmpty)
      #expect(company.tag.indexes.count == 1)
    }
    setIndexes()
    company.person.subentities = []
    #expect(company.person.indexes.isEmpty)
    #expect(company.employee.indexes.isEmpty)
  }

  @Test("uniqueness constraints name stored attributes and to-one relationships (B14, I2)")
  func constraints() throws {
    let company = Company()
    company.person.uniquenessConstraints = [["name", "age"]]
    company.employee.uniquenessConstraints = [["salary"], ["name"]]
    #expect(company.faults == [])
    #expect(company.person.allUniquenessConstraints == [["name", "age"]])
    #expect(company.employee.allUniquenessConstraints == [["name", "age"], ["salary"], ["name"]])
    company.person.uniquenessConstraints = [["name", "office"], ["office"]]
    #expect(company.faults == [])
    company.person.uniquenessConstraints = [[], ["age", "age"], ["nothing"], ["salary"]]
    company.department.uniquenessConstraints = [["people"]]
    #expect(company.faults.count == 5)
  }

  @Test("a model of more entities than keys can name is refused")
  func tooManyEntities() {
    let model = ManagedObjectModel(
      entities: (0..<4096).map { EntityDescription(name: "Entity\($0)") })
    #expect(model.findFaults().count == 1)
    model.entities.removeLast()
    #expect(model.findFaults().isEmpty)
  }

  @Test("an entity with more values than a row can have is refused")
  func tooManySlots() throws {
    let parent = EntityDescription(name: "Parent")
    let child = EntityDescription(name: "Child")
    parent.properties = (0..<65_000).map { AttributeDescription(name: "p\($0)", type: .boolean) }
    parent.subentities = [child]
    let model = ManagedObjectModel(entities: [parent, child])
    #expect(model.findFaults().isEmpty)
    child.properties = [AttributeDescription(name: "c", type: .boolean)]
    #expect(model.findFaults().map(\.entityName) == ["Child"])
  }

  @Test("a hierarchy of a thousand levels is no danger")
  func deepHierarchy() throws {
    var entities = [EntityDescription(name: "E0")]
    for number in 1..<1000 {
      let entity = EntityDescription(name: "E\(number)")
      entities[number - 1].subentities = [entity]
      entities.append(entity)
    }
    entities.reverse()
    var model: ManagedObjectModel? = ManagedObjectModel(entities: entities)
    try model?.freeze()
    #expect(entities[0].isKindOf(entity: entities[999]))
    #expect(entities[999].concreteEntities.count == 1000)
    entities = []
    model = nil
  }

  @Test("a template that fetches an unknown entity is found")
  func templates() throws {
    let company = Company()
    try company.model.setFetchRequestTemplate(Template("Stranger"), forName: "strangers")
    #expect(company.faults.count == 1)
  }
}
