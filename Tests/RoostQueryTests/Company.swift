// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import RoostModel
@testable import RoostQuery

/// The model and the data of these tests: people in departments, some of them managers, with friends.
struct Company {
  let model: ManagedObjectModel
  let person: EntityDescription
  let manager: EntityDescription
  let robot: EntityDescription
  let department: EntityDescription
  let store = StoreIdentity(identifier: "5D1F2B0C-0001-4000-8000-000000000001", type: "test")

  init() {
    person = EntityDescription(name: "Person")
    manager = EntityDescription(name: "Manager")
    robot = EntityDescription(name: "Robot")
    department = EntityDescription(name: "Department")
    let people = RelationshipDescription(name: "people", destination: person)
    let home = RelationshipDescription(name: "department", destination: department, maxCount: 1)
    people.inverseRelationship = home
    home.inverseRelationship = people
    let boss = RelationshipDescription(name: "boss", destination: person, maxCount: 1)
    let reports = RelationshipDescription(name: "reports", destination: person)
    boss.inverseRelationship = reports
    reports.inverseRelationship = boss
    let friends = RelationshipDescription(name: "friends", destination: person)
    friends.inverseRelationship = friends
    let attributes: [(String, AttributeType)] = [
      ("name", .string), ("age", .integer32), ("height", .double), ("salary", .decimal),
      ("active", .boolean), ("born", .date), ("code", .uuid), ("photo", .binaryData),
      ("home", .uri), ("pet", .transformable), ("weight", .float),
    ]
    let address = CompositeAttributeDescription(
      name: "address",
      elements: [
        AttributeDescription(name: "city", type: .string),
        AttributeDescription(name: "zip", type: .integer32),
      ])
    let mood = AttributeDescription(name: "mood", type: .string)
    mood.isTransient = true
    person.properties =
      attributes.map { AttributeDescription(name: $0, type: $1) }
      + [address, mood, home, boss, reports, friends] as [PropertyDescription]
    manager.properties = [
      AttributeDescription(name: "budget", type: .integer64),
      AttributeDescription(name: "rank", type: .integer16),
    ]
    robot.properties = [AttributeDescription(name: "rank", type: .string)]
    person.subentities = [manager, robot]
    department.properties = [AttributeDescription(name: "name", type: .string), people]
    model = ManagedObjectModel(entities: [person, manager, robot, department])
    do { try model.freeze() } catch {
      preconditionFailure("The test's model is consistent: \(error)")
    }
  }

  var resolver: RequestResolver {
    RequestResolver(model: model, now: Date(timeIntervalSinceReferenceDate: 1000))
  }

  func id(_ key: Int64, _ entity: EntityDescription? = nil) -> ObjectID {
    ObjectID(scope: IDScope(entity: entity ?? person, store: store), key: key)
  }

  func resolved(
    _ format: String, _ arguments: Any?..., of entity: EntityDescription? = nil
  ) throws -> ResolvedPredicate {
    let predicate = try FetchPredicate(format: format, argumentArray: arguments)
    return try resolver.predicate(predicate, of: entity ?? person)
  }
}

/// Rows in memory with links between them, for the evaluator.
final class TestRows: EvaluationSource {
  let company: Company
  private(set) var rows: [Row] = []
  private var byKey: [Int64: Row] = [:]
  private var toOne: [String: [Int64: Int64]] = [:]
  private var toMany: [String: [Int64: [Int64]]] = [:]
  private(set) var destinationReads = 0

  init(_ company: Company) {
    self.company = company
  }

  @discardableResult
  func add(
    _ key: Int64, _ entity: EntityDescription? = nil, _ values: [String: Value] = [:]
  ) throws -> Row {
    let row = Row(layout: (entity ?? company.person).layout, key: key, version: 1)
    for (name, value) in values {
      guard let slot = row.layout.slot(named: name) else { preconditionFailure("no slot \(name)") }
      try row.setValue(value, at: slot)
    }
    rows.append(row)
    byKey[key] = row
    return row
  }

  func link(_ relationship: String, _ source: Int64, _ destination: Int64) {
    toOne[relationship, default: [:]][source] = destination
  }

  func link(_ relationship: String, _ source: Int64, _ destinations: [Int64]) {
    toMany[relationship, default: [:]][source] = destinations
  }

  func base(of item: Row) -> UnsafeMutableRawPointer { item.base }
  func identity(of item: Row) -> Int64 { item.key }
  func identity(for id: ObjectID) -> Int64? {
    id.storeIdentity?.identifier == company.store.identifier ? id.key : nil
  }
  func objectID(for identity: Int64) -> ObjectID? {
    byKey[identity].map { company.id(identity, $0.layout.entity) }
  }
  func entity(of item: Row) -> EntityDescription { item.layout.entity }
  func tieBreaker(of item: Row) -> Int64 { item.key }

  func destination(of relationship: RelationshipDescription, from item: Row) -> Row? {
    destinationReads += 1
    return toOne[relationship.name]?[item.key].flatMap { byKey[$0] }
  }
  func destinationIdentity(of relationship: RelationshipDescription, from item: Row) -> Int64? {
    toOne[relationship.name]?[item.key]
  }
  func destinations(of relationship: RelationshipDescription, from item: Row) -> [Row] {
    destinationReads += 1
    return (toMany[relationship.name]?[item.key] ?? []).compactMap { byKey[$0] }
  }

  /// Returns the keys of the rows that satisfy a condition.
  func keys(
    _ format: String, _ arguments: Any?..., of entity: EntityDescription? = nil
  ) throws -> [Int64] {
    let entity = entity ?? company.person
    let predicate = try FetchPredicate(format: format, argumentArray: arguments)
    let resolved = try company.resolver.predicate(predicate, of: entity)
    let evaluator = try PredicateEvaluator(resolved, source: self)
    let candidates = rows.filter { $0.layout.entity.isKindOf(entity: entity) }
    return try candidates.filter { try evaluator.matches($0) }.map(\.key)
  }
}

/// Returns the code of the error that a body throws.
func thrownCode<T>(_ body: () throws -> T) -> PersistenceError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? PersistenceError)?.code
  }
}
