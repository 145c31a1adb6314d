// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

@testable import RoostInMemory
@testable import RoostKeyValue

/// A model with all kinds of properties, and the codes of its entities in a store.
struct Company: Sendable {
  let model: ManagedObjectModel
  let person: EntityDescription
  let employee: EntityDescription
  let department: EntityDescription
  let tag: EntityDescription
  let schema: StoreSchema

  /// Makes the model.
  ///
  /// - Parameter change: Changes the entities, given by name, before the model is used.
  init(_ change: ([String: EntityDescription]) -> Void = { _ in }) throws {
    person = EntityDescription(name: "Person")
    employee = EntityDescription(name: "Employee")
    department = EntityDescription(name: "Department")
    tag = EntityDescription(name: "Tag")
    Company.describe(person, employee, department, tag)
    change([
      "Person": person, "Employee": employee, "Department": department, "Tag": tag,
    ])
    model = ManagedObjectModel(entities: [person, employee, department, tag])
    try model.freeze()
    schema = StoreSchema(
      identity: StoreIdentity(identifier: "TEST", type: "InMemory"), model: model,
      entities: [person, employee, department, tag], linkTables: model.linkTables,
      codes: ["Person": 1, "Employee": 2, "Department": 3, "Tag": 4])
  }

  private static func describe(
    _ person: EntityDescription, _ employee: EntityDescription,
    _ department: EntityDescription, _ tag: EntityDescription
  ) {
    let people = RelationshipDescription(name: "people", destination: person)
    let home = RelationshipDescription(name: "department", destination: department, maxCount: 1)
    let ranking = RelationshipDescription(name: "ranking", destination: person)
    let ranked = RelationshipDescription(name: "rankedIn", destination: department, maxCount: 1)
    let tags = RelationshipDescription(name: "tags", destination: tag)
    let tagged = RelationshipDescription(name: "tagged", destination: person)
    let friends = RelationshipDescription(name: "friends", destination: person)
    connect(people, home)
    connect(ranking, ranked)
    connect(tags, tagged)
    connect(friends, friends)
    ranking.isOrdered = true
    tags.isOrdered = true

    person.properties = [
      attribute("name", .string), attribute("email", .string), attribute("age", .integer32),
      attribute("score", .double), attribute("born", .date), attribute("active", .boolean),
      attribute("badge", .uuid), attribute("salary", .decimal), attribute("photo", .binaryData),
      attribute("site", .uri), attribute("note", .string, isTransient: true),
      home, ranked, tags, friends,
    ]
    person.uniquenessConstraints = [["email"], ["name", "age"]]
    employee.properties = [attribute("title", .string), attribute("level", .integer16)]
    person.subentities = [employee]
    // Indexes are set last: changes of a hierarchy drop them (B12).
    person.indexes = [
      index("byAge", ("age", true)),
      index("byScore", ("score", true)),
      index("byNameAndAge", ("name", true), ("age", false)),
      index("bySalary", ("salary", false)),
      index("byBorn", ("born", true)),
    ]
    employee.indexes = [index("byLevel", ("level", true))]
    department.properties = [
      attribute("name", .string), attribute("budget", .decimal), people, ranking,
    ]
    department.uniquenessConstraints = [["name"]]
    tag.properties = [attribute("label", .string), tagged]
  }

  private static func attribute(
    _ name: String, _ type: AttributeType, isTransient: Bool = false
  ) -> AttributeDescription {
    let attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = true
    attribute.isTransient = isTransient
    return attribute
  }

  private static func index(
    _ name: String, _ elements: (String, Bool)...
  ) -> FetchIndexDescription {
    FetchIndexDescription(
      name: name,
      elements: elements.map {
        FetchIndexElementDescription(propertyName: $0.0, isAscending: $0.1)
      })
  }

  private static func connect(
    _ left: RelationshipDescription, _ right: RelationshipDescription
  ) {
    left.inverseRelationship = right
    right.inverseRelationship = left
    left.isOptional = true
    right.isOptional = true
  }

  /// Returns a store with a memory engine, prepared for the model.
  func store(longestEntryKey: Int = .max) throws -> KeyValueStore {
    let store = try KeyValueStore(
      engine: MemoryEngine(longestEntryKey: longestEntryKey), description: .inMemory(),
      storeType: "InMemory")
    try store.prepare(schema, metadata: StoreMetadata(storeType: "InMemory"))
    return store
  }

  var ranking: RelationshipDescription { department.relationshipsByName["ranking"]! }

  func slot(_ name: String, of entity: EntityDescription? = nil) -> RowSlot {
    (entity ?? person).layout.slot(named: name)!
  }

  func key(_ sequence: Int64, _ entity: EntityDescription? = nil) -> Int64 {
    RecordKey.make(sequence: sequence, entityCode: schema.code(of: entity ?? person)!)
  }
}
