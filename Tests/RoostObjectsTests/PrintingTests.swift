// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostSQLite
import Testing

@Entity final class Plate: ManagedObject {
  @Attribute(.unique) var number: String = ""
}

@Suite("What is printed")
struct PrintingTests {
  private func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  @Test("an object prints its class, its ID and its state, and no value")
  func objects() throws {
    let stack = try Stack()
    let employee = Employee(context: stack.context)
    employee.name = "Secret"
    let temporary = employee.objectID
    #expect("\(employee)" == "<Employee \(temporary) new>")
    try stack.context.save()
    let id = employee.objectID
    #expect("\(employee)" == "<Employee \(id) clean>")
    employee.name = "Secret, too"
    employee.age = 7
    employee.department = Department(context: stack.context)
    #expect("\(employee)" == "<Employee \(id) changed age, department, name>")
    #expect(String(reflecting: employee) == "\(employee)")
    stack.context.delete(employee)
    #expect("\(employee)" == "<Employee \(id) deleted>")
    stack.context.rollback()
    try stack.context.refresh(employee, mergeChanges: false)
    #expect("\([employee])" == "[<Employee \(id) fault>]")
    #expect(employee.isFault)
  }

  @Test("dump shows the values at hand, and reads nothing")
  func values() throws {
    let stack = try Stack()
    let ids = try stack.seed(3)
    let employee = try #require(stack.context.object(with: ids[1]) as? Employee)
    let before = stack.context.counters
    let coordinator = stack.container.persistentStoreCoordinator
    #expect(!dumped(employee).contains("name"))
    #expect(employee.isFault)
    #expect(stack.context.counters == before)
    #expect(employee.name == "P1")
    let read = coordinator.counters
    let text = dumped(employee)
    #expect(text.contains("- name: \"P1\""))
    #expect(text.contains("- age: 1"))
    #expect(text.contains("- born: nil"))
    #expect(text.contains("- teams: not read"))
    #expect(text.contains("- department: p"))
    #expect(coordinator.counters == read)
    _ = (employee.department?.objectID, employee.teams.count)
    let known = dumped(employee)
    #expect(known.contains("- teams: 0 objects"))
    #expect(known.contains("/Department/p"))
    let new = Employee(context: stack.context)
    #expect(dumped(new).contains("- department: nil"))
  }

  @Test("a context prints its name, its objects and its stores, and ends no event")
  func contexts() throws {
    let stack = try Stack()
    let context = stack.context
    _ = try stack.seed(2)
    context.name = "import"
    let people = try stack.employees()
    people[0].age = 70
    context.delete(people[1])
    _ = Department(context: context)
    #expect(
      context.debugDescription
        == "<ManagedObjectContext “import”, private queue, objects: 3 (1 new, 1 changed, 1 deleted), on "
        + "InMemory>")
    let child = ManagedObjectContext(.mainQueue)
    child.parent = context
    #expect(
      child.debugDescription
        == "<ManagedObjectContext, main queue, objects: 0 (0 new, 0 changed, 0 deleted), child of "
        + "“import”>")
    #expect(
      ManagedObjectContext(.privateQueue).debugDescription.hasSuffix("no coordinator>"))
  }

  @Test("a container and a coordinator print their stores, without folders")
  func containers() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "printing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try PersistentContainer(
      name: "Plates", model: ManagedObjectModel(Plate.self),
      stores: [.sqlite(at: folder.appending(path: "plates.sqlite"))])
    #expect(
      container.debugDescription == "<PersistentContainer “Plates”, entities: 1, 1 not loaded>")
    try container.loadPersistentStores()
    #expect(
      container.debugDescription
        == "<PersistentContainer “Plates”, entities: 1, plates.sqlite (SQLite)>")
    #expect(
      container.persistentStoreCoordinator.debugDescription
        == "<PersistentStoreCoordinator “Plates”, entities: 1, plates.sqlite (SQLite)>")
  }

  @Test("a model prints its entities with their properties")
  func models() throws {
    let text = try Stack.makeModel().debugDescription
    #expect(text.hasPrefix("<ManagedObjectModel, entities: 8>\n  Badge – "))
    #expect(text.contains("\n  Employee: Person – "))
    #expect(text.contains("\n  abstract Person – "))
    #expect(text.contains("age integer32"))
    #expect(text.contains("born date?"))
    #expect(text.contains("department → Department?"))
    #expect(text.contains("members → Person*"))
    #expect(text.contains("milestones → Milestone* in order"))
    #expect(ManagedObjectModel().debugDescription == "<ManagedObjectModel, entities: 0>")
  }

  @Test("a uniqueness conflict names the records that have the value, and not the value")
  func uniqueness() throws {
    let container = try PersistentContainer(
      name: "Plates", model: ManagedObjectModel(Plate.self), stores: [.inMemory()])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    let first = Plate(context: context)
    first.number = "secret"
    try context.save()
    let second = Plate(context: context)
    second.number = "secret"
    let error = try #require(throws: PersistenceError.self) { try context.save() }
    #expect(error.code == .managedObjectConstraintMerge)
    #expect(error.objectIDs.contains(first.objectID))
    #expect(error.description.contains("number of Plate must be unique. These have the same: "))
    #expect(error.description.contains("\(first.objectID)"))
    #expect(error.description.contains("\(second.objectID)"))
    #expect(!error.description.contains("secret"))
  }

  @Test("an error of a file whose folder is missing names the folder, and what to do")
  func missingFolder() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID().uuidString)")
    let container = try PersistentContainer(
      name: "Plates", model: ManagedObjectModel(Plate.self),
      stores: [.sqlite(at: folder.appending(path: "plates.sqlite"))])
    let error = try #require(throws: PersistenceError.self) { try container.loadPersistentStores() }
    #expect(error.code == .persistentStoreOpen)
    #expect(error.message.contains(folder.lastPathComponent))
    #expect(error.message.contains("make it, and add the store again"))
  }

  @Test("an option and a pragma that nobody knows are refused by their names")
  func unknownOptions() throws {
    var description = PersistentStoreDescription.sqlite(
      at: FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite"))
    description.options["colour"] = .string("red")
    let coordinator = try PersistentStoreCoordinator(
      managedObjectModel: ManagedObjectModel(Plate.self))
    let unknown = try #require(throws: PersistenceError.self) {
      try coordinator.addPersistentStore(with: description)
    }
    #expect(unknown.code == .invalidValue)
    #expect(unknown.description.contains("colour"))
    description.options = [:]
    description.setValue("1", forPragmaNamed: "colour")
    let pragma = try #require(throws: PersistenceError.self) {
      try coordinator.addPersistentStore(with: description)
    }
    #expect(pragma.description.contains("colour"))
  }
}
