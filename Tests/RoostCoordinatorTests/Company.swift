// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

@testable import RoostCoordinator

/// The model of these tests: people and employees, departments with ordered members, tags, notes.
struct Company {
  let model: ManagedObjectModel
  let person: EntityDescription
  let employee: EntityDescription
  let department: EntityDescription
  let tag: EntityDescription
  let note: EntityDescription

  init(hashModifier: String? = nil, extraEntities: [String] = []) throws {
    person = EntityDescription(name: "Person")
    employee = EntityDescription(name: "Employee")
    department = EntityDescription(name: "Department")
    tag = EntityDescription(name: "Tag")
    note = EntityDescription(name: "Note")
    person.versionHashModifier = hashModifier

    let works = RelationshipDescription(name: "department", destination: department, maxCount: 1)
    let people = RelationshipDescription(name: "people", destination: person)
    people.isOrdered = true
    works.inverseRelationship = people
    people.inverseRelationship = works
    let tags = RelationshipDescription(name: "tags", destination: tag)
    let tagged = RelationshipDescription(name: "tagged", destination: person)
    tagged.isOrdered = true
    tags.inverseRelationship = tagged
    tagged.inverseRelationship = tags

    person.properties = [
      AttributeDescription(name: "name", type: .string),
      AttributeDescription(name: "age", type: .integer32), works, tags,
    ]
    employee.properties = [AttributeDescription(name: "salary", type: .integer64)]
    person.subentities = [employee]
    department.properties = [AttributeDescription(name: "name", type: .string), people]
    tag.properties = [AttributeDescription(name: "name", type: .string), tagged]
    note.properties = [AttributeDescription(name: "text", type: .string)]
    let extra = extraEntities.map { name in
      let entity = EntityDescription(name: name)
      entity.properties = [AttributeDescription(name: "text", type: .string)]
      return entity
    }
    model = ManagedObjectModel(entities: [person, employee, department, tag, note] + extra)
    try model.setEntities([person, employee, department, tag], forConfigurationName: "Staff")
    try model.setEntities([note, tag], forConfigurationName: "Notes")
    try model.setEntities([note], forConfigurationName: "NotesOnly")
  }

  func relationship(_ name: String, of entity: EntityDescription) -> RelationshipDescription {
    guard let relationship = entity.relationshipsByName[name] else {
      preconditionFailure("The model of the tests has no relationship \(name).")
    }
    return relationship
  }

  func attribute(_ name: String, of entity: EntityDescription) -> AttributeDescription {
    guard let attribute = entity.attributesByName[name] else {
      preconditionFailure("The model of the tests has no attribute \(name).")
    }
    return attribute
  }

  func slot(_ name: String, of entity: EntityDescription) -> RowSlot {
    guard let slot = entity.layout.slot(named: name) else {
      preconditionFailure("The model of the tests has no slot \(name).")
    }
    return slot
  }
}
