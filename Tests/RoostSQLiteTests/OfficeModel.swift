// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// A frozen model with every type of attribute, a hierarchy and every kind of relationship.
struct OfficeModel: Sendable {
  let model: ManagedObjectModel
  let person: EntityDescription
  let employee: EntityDescription
  let manager: EntityDescription
  let department: EntityDescription
  let tag: EntityDescription
  let codes: [String: Int]

  init() throws {
    let person = EntityDescription(name: "Person")
    let employee = EntityDescription(name: "Employee")
    let manager = EntityDescription(name: "Manager")
    let department = EntityDescription(name: "Department")
    let tag = EntityDescription(name: "Tag")
    let toDepartment = RelationshipDescription(
      name: "department", destination: department, maxCount: 1)
    let people = RelationshipDescription(name: "people", destination: person, maxCount: 0)
    let tags = RelationshipDescription(name: "tags", destination: tag, maxCount: 0)
    let tagged = RelationshipDescription(name: "tagged", destination: person, maxCount: 0)
    let boss = RelationshipDescription(name: "boss", destination: manager, maxCount: 1)
    let team = RelationshipDescription(name: "team", destination: employee, maxCount: 0)
    let friends = RelationshipDescription(name: "friends", destination: person, maxCount: 0)
    Self.connect(toDepartment, people)
    Self.connect(tags, tagged)
    Self.connect(boss, team)
    friends.inverseRelationship = friends
    team.isOrdered = true
    tags.isOrdered = true
    person.declaredProperties = Self.attributes + [toDepartment, tags, friends]
    employee.declaredProperties = [
      AttributeDescription(name: "salary", type: .decimal),
      AttributeDescription(name: "badge", type: .integer32), boss,
    ]
    manager.declaredProperties = [AttributeDescription(name: "level", type: .integer16), team]
    department.declaredProperties = [
      AttributeDescription(name: "name", type: .string),
      AttributeDescription(name: "budget", type: .decimal), people,
    ]
    tag.declaredProperties = [AttributeDescription(name: "name", type: .string), tagged]
    person.subentities = [employee]
    employee.subentities = [manager]
    person.uniquenessConstraints = [["email"], ["name", "age"]]
    employee.uniquenessConstraints = [["badge"]]
    person.indexes = [
      FetchIndexDescription(
        name: "byAge", elements: [FetchIndexElementDescription(propertyName: "age")]),
      FetchIndexDescription(
        name: "byName", elements: [FetchIndexElementDescription(propertyName: "name")]),
    ]
    let activeOnly = FetchIndexDescription(
      name: "byScore", elements: [FetchIndexElementDescription(propertyName: "score")])
    activeOnly.partialIndexPredicate = UnparsedPredicate("active == YES")
    person.indexes.append(activeOnly)
    model = ManagedObjectModel(entities: [person, employee, manager, department, tag])
    try model.freeze()
    self.person = person
    self.employee = employee
    self.manager = manager
    self.department = department
    self.tag = tag
    codes = ["Person": 1, "Employee": 2, "Manager": 3, "Department": 4, "Tag": 5]
  }

  private static var attributes: [PropertyDescription] {
    [
      AttributeDescription(name: "name", type: .string),
      AttributeDescription(name: "email", type: .string),
      AttributeDescription(name: "age", type: .integer32),
      AttributeDescription(name: "score", type: .double),
      AttributeDescription(name: "created", type: .date),
      AttributeDescription(name: "active", type: .boolean),
      AttributeDescription(name: "uuid", type: .uuid),
      AttributeDescription(name: "balance", type: .decimal),
      AttributeDescription(name: "photo", type: .binaryData),
      AttributeDescription(name: "site", type: .uri),
      AttributeDescription(name: "extra", type: .transformable),
      AttributeDescription(name: "nick", type: .string),
      AttributeDescription(name: "big", type: .integer64),
    ]
  }

  private static func connect(_ one: RelationshipDescription, _ other: RelationshipDescription) {
    one.inverseRelationship = other
    other.inverseRelationship = one
  }

  func schema(_ identity: StoreIdentity) -> StoreSchema {
    StoreSchema(
      identity: identity, model: model, entities: model.entities, linkTables: model.linkTables,
      codes: codes)
  }
}
