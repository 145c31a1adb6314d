// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Layouts of rows")
struct LayoutTests {
  @Test("a superentity's layout is the beginning of its subentities' layouts")
  func prefix() throws {
    let person = EntityDescription(name: "Person")
    let employee = EntityDescription(name: "Employee")
    let department = EntityDescription(name: "Department")
    let department1 = RelationshipDescription(
      name: "department", destination: department, maxCount: 1)
    let people = RelationshipDescription(name: "people", destination: person)
    people.isOrdered = true
    people.inverseRelationship = department1
    department1.inverseRelationship = people
    person.properties = [
      AttributeDescription(name: "name", type: .string), department1,
      AttributeDescription(name: "price", type: .decimal),
    ]
    employee.properties = [AttributeDescription(name: "salary", type: .double)]
    department.properties = [people]
    person.subentities = [employee]
    let model = ManagedObjectModel(entities: [employee, person, department])
    try model.freeze()

    #expect(
      employee.layout.names
        == ["name", "department", "price", "@position.Department.people", "salary"])
    #expect(
      Array(employee.layout.slots.prefix(person.layout.slots.count)) == person.layout.slots)
    #expect(employee.concreteEntities == [employee])
    #expect(person.concreteEntities == [person, employee])
    guard case .inverseOfToOne(let slot, let position) = people.storage else {
      Issue.record("the destinations are not kept in the inverse")
      return
    }
    #expect(slot == department1.slot)
    #expect(position == person.layout.slot(named: "@position.Department.people"))
  }
}
