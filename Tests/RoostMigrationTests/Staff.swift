// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Roost
import RoostInMemory
import RoostLMDB
import RoostModel
import RoostObjects
import RoostSQLite
import RoostStore
import Synchronization
import Testing

/// Models of people and departments in two versions, and stores of them.
enum Staff {
  /// Person(name, age, flag, department, friends), Department(name, people ordered), Note(text).
  static func old() -> ManagedObjectModel {
    let person = EntityDescription(name: "Person")
    let department = EntityDescription(name: "Department")
    let note = EntityDescription(name: "Note")
    let works = RelationshipDescription(name: "department", destination: department, maxCount: 1)
    let people = RelationshipDescription(name: "people", destination: person)
    people.isOrdered = true
    works.inverseRelationship = people
    people.inverseRelationship = works
    let friends = RelationshipDescription(name: "friends", destination: person)
    let friendOf = RelationshipDescription(name: "friendOf", destination: person)
    friends.inverseRelationship = friendOf
    friendOf.inverseRelationship = friends
    person.properties = [
      AttributeDescription(name: "name", type: .string),
      AttributeDescription(name: "age", type: .integer32),
      AttributeDescription(name: "isActive", type: .boolean), works, friends, friendOf,
    ]
    department.properties = [AttributeDescription(name: "name", type: .string), people]
    note.properties = [AttributeDescription(name: "text", type: .string)]
    return ManagedObjectModel(entities: [person, department, note])
  }

  /// Employee(fullName, age, isActive, code, unit, friends) of Person, Unit(title, people ordered) of Department, Log.
  static func new() -> ManagedObjectModel {
    let employee = EntityDescription(name: "Employee")
    let unit = EntityDescription(name: "Unit")
    let log = EntityDescription(name: "Log")
    let works = RelationshipDescription(name: "unit", destination: unit, maxCount: 1)
    let people = RelationshipDescription(name: "people", destination: employee)
    people.isOrdered = true
    works.inverseRelationship = people
    people.inverseRelationship = works
    let friends = RelationshipDescription(name: "friends", destination: employee)
    let friendOf = RelationshipDescription(name: "friendOf", destination: employee)
    friends.inverseRelationship = friendOf
    friendOf.inverseRelationship = friends
    employee.properties = [
      AttributeDescription(name: "fullName", type: .string),
      AttributeDescription(name: "age", type: .integer64),
      AttributeDescription(name: "isActive", type: .boolean),
      AttributeDescription(name: "code", type: .string), works, friends, friendOf,
    ]
    unit.properties = [AttributeDescription(name: "title", type: .string), people]
    log.properties = [AttributeDescription(name: "text", type: .string)]
    return ManagedObjectModel(entities: [employee, unit, log])
  }

  /// Returns the mapping from the old to the new model: notes are removed, logs are new.
  static func mapping() -> MappingModel {
    let people = EntityMapping(from: "Person", to: "Employee")
    people.attributeMappings = [
      PropertyMapping(name: "fullName", valueExpression: .source("name")),
      PropertyMapping(name: "age", valueExpression: .source("age")),
      PropertyMapping(name: "isActive", valueExpression: .source("isActive")),
    ]
    people.relationshipMappings = [
      PropertyMapping(
        name: "unit", valueExpression: .destinations(of: "department", by: "DepartmentToUnit")),
      PropertyMapping(
        name: "friends", valueExpression: .destinations(of: "friends", by: "PersonToEmployee")),
    ]
    let units = EntityMapping(from: "Department", to: "Unit")
    units.attributeMappings = [PropertyMapping(name: "title", valueExpression: .source("name"))]
    units.relationshipMappings = [
      PropertyMapping(name: "people", valueExpression: .destinations(of: "people"))
    ]
    return MappingModel(entityMappings: [
      people, units, EntityMapping(from: "Note", to: nil), EntityMapping(from: nil, to: "Log"),
    ])
  }

  /// Fills a store of the old model: people 0 to `count`, each in the department of its number modulo 3, in
  /// descending order, and each a friend of the next.
  @discardableResult
  static func fill(_ description: PersistentStoreDescription, count: Int) throws -> String {
    try withStore(description, old()) { context, store in
      let departments = try (0..<3).map { number in
        let unit = try EntityDescription.insertNewObject(forEntityName: "Department", into: context)
        try unit.setValue("D\(number)", forKey: "name")
        return unit
      }
      var people: [ManagedObject] = []
      for number in 0..<count {
        let person = try EntityDescription.insertNewObject(forEntityName: "Person", into: context)
        try person.setValue("P\(number)", forKey: "name")
        try person.setValue(number, forKey: "age")
        try person.setValue(number % 2 == 0, forKey: "isActive")
        people.append(person)
      }
      for (index, department) in departments.enumerated() {
        let members = people.enumerated().filter { $0.offset % 3 == index }.map(\.element)
        try department.setValue(Array(members.reversed()), forKey: "people")
      }
      for (person, next) in zip(people, people.dropFirst()) {
        try person.setValue(Set([next]), forKey: "friends")
      }
      let note = try EntityDescription.insertNewObject(forEntityName: "Note", into: context)
      try note.setValue("gone", forKey: "text")
      try context.save()
      return store.identity.identifier
    }
  }

  /// Opens a store with a model, and closes it afterwards.
  static func withStore<Result>(
    _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
    _ body: (ManagedObjectContext, any PersistentStore) throws -> Result
  ) throws -> Result {
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(with: description)
    defer { try? coordinator.remove(store) }
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    return try body(context, store)
  }

  /// Opens a store several times at once, and returns the number of employees that each opening finds; -1 for a
  /// failed opening.
  static func counts(
    of description: PersistentStoreDescription, _ model: ManagedObjectModel? = nil, openings: Int
  ) -> [Int] {
    let found = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: openings) { _ in
      let count: Int
      do {
        count = try withStore(description, model ?? new()) { context, _ in
          try context.count(for: FetchRequest<ManagedObject>(entityName: "Employee"))
        }
      } catch {
        Issue.record(error)
        count = -1
      }
      found.withLock { $0.append(count) }
    }
    return found.withLock { $0 }
  }

  /// Returns the employees by name: `P3:3:1 D0 [P4]` is name, age, whether active, unit and friends.
  static func employees(_ description: PersistentStoreDescription) throws -> [String] {
    try withStore(description, new()) { context, _ in
      let request = FetchRequest<ManagedObject>(entityName: "Employee")
      request.sortDescriptors = [SortOrdering("age")]
      return try context.fetch(request).map { employee in
        let unit = try employee.value(forKeyPath: "unit.title") as? String ?? "-"
        let friends = try employee.value(forKey: "friends") as? Set<ManagedObject> ?? []
        let names = try friends.map { try $0.value(forKey: "fullName") as? String ?? "-" }.sorted()
        let name = try employee.value(forKey: "fullName") as? String ?? "-"
        let age = try employee.value(forKey: "age") as? Int ?? -1
        let isActive = try employee.value(forKey: "isActive") as? Bool ?? false
        return "\(name):\(age):\(isActive ? 1 : 0) \(unit) \(names)"
      }
    }
  }

  /// Returns the expected result of ``employees(_:)`` after ``fill(_:count:)`` and ``mapping()``.
  static func expected(_ count: Int) -> [String] {
    (0..<count).map { number in
      let friends = number + 1 < count ? ["P\(number + 1)"] : []
      return "P\(number):\(number):\(number % 2 == 0 ? 1 : 0) D\(number % 3) \(friends)"
    }
  }

  /// Returns the ordered names of the people of each unit, by its title.
  static func people(_ description: PersistentStoreDescription) throws -> [String: [String]] {
    try withStore(description, new()) { context, _ in
      var result: [String: [String]] = [:]
      for unit in try context.fetch(FetchRequest<ManagedObject>(entityName: "Unit")) {
        let people = try unit.value(forKey: "people") as? [ManagedObject] ?? []
        result[try unit.value(forKey: "title") as? String ?? "-"] = try people.map {
          try $0.value(forKey: "fullName") as? String ?? "-"
        }
      }
      return result
    }
  }
}

/// A folder that is removed at the end of the test.
final class TestFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "roost-migration-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Returns the names of the files, without SQLite's side files and lock files.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
      .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") && !$0.hasSuffix("-lock") }
  }

  func sqlite(_ name: String) -> PersistentStoreDescription {
    .sqlite(at: url.appending(path: name))
  }

  func lmdb(_ name: String) -> PersistentStoreDescription {
    .lmdb(at: url.appending(path: name))
  }
}

/// The kinds of stores that need no server.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite, lmdb, memory

  var testDescription: String { rawValue }

  func description(_ name: String, _ folder: TestFolder) -> PersistentStoreDescription {
    switch self {
    case .sqlite: folder.sqlite("\(name).sqlite")
    case .lmdb: folder.lmdb("\(name).lmdb")
    case .memory: .inMemory(named: "\(folder.url.lastPathComponent)-\(name)")
    }
  }
}
