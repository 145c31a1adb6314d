// SPDX-License-Identifier: Apache-2.0

@testable import RoostModel

/// A small model that most tests begin with: people, employees among them, in ordered departments, with tags.
struct Company {
  let model: ManagedObjectModel
  let person = EntityDescription(name: "Person")
  let employee = EntityDescription(name: "Employee")
  let department = EntityDescription(name: "Department")
  let tag = EntityDescription(name: "Tag")

  let name = AttributeDescription(name: "name", type: .string)
  let age = AttributeDescription(name: "age", type: .integer16)
  let salary = AttributeDescription(name: "salary", type: .decimal)
  let title = AttributeDescription(name: "title", type: .string)
  let office = RelationshipDescription(name: "office", maxCount: 1)
  let people = RelationshipDescription(name: "people")
  let tags = RelationshipDescription(name: "tags")
  let tagged = RelationshipDescription(name: "tagged")

  init() {
    office.destinationEntity = department
    people.destinationEntity = person
    people.isOrdered = true
    people.deleteRule = .cascade
    tags.destinationEntity = tag
    tagged.destinationEntity = person
    office.inverseRelationship = people
    people.inverseRelationship = office
    tags.inverseRelationship = tagged
    tagged.inverseRelationship = tags
    person.properties = [name, age, office, tags]
    employee.properties = [salary]
    department.properties = [title, people]
    tag.properties = [AttributeDescription(name: "label", type: .string), tagged]
    person.subentities = [employee]
    model = ManagedObjectModel(entities: [person, employee, department, tag])
  }

  /// The messages of all faults of the model, each with its entity and property.
  var faults: [String] {
    model.findFaults().map { "\($0.entityName ?? "").\($0.key ?? ""): \($0.message)" }
  }
}
