// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct DeletingTests {
  @Test("prepareForDeletion runs at once, the rules at the end of the event (B83, B84)")
  func timing() throws {
    let stack = try Stack()
    _ = try stack.seed(2)
    let department = try #require(
      try stack.context.fetch(FetchRequest<Department>(entityName: "Department")).first)
    let people = department.people
    stack.context.delete(department)
    #expect(department.isDeleted)
    #expect(people.allSatisfy { !$0.isDeleted })
    stack.context.processPendingChanges()
    #expect(people.allSatisfy { $0.isDeleted })
    #expect(department.people.isEmpty)

    let witness = Witness(context: stack.context)
    try stack.context.save()
    witness.calls = []
    stack.context.delete(witness)
    #expect(witness.calls == ["prepareForDeletion"])
  }

  @Test("without propagation at the end of the event the rules wait for the save (B84)")
  func lateRules() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let department = try #require(
      try stack.context.fetch(FetchRequest<Department>(entityName: "Department")).first)
    stack.context.propagatesDeletesAtEndOfEvent = false
    stack.context.delete(department)
    stack.context.processPendingChanges()
    #expect(stack.context.deletedObjects == [department])
    try stack.context.save()
    #expect(try stack.employees(in: stack.anotherContext()).isEmpty)
  }

  @Test("nullify takes the deleted object out of its destinations' inverse (B85)")
  func nullify() throws {
    let stack = try Stack()
    _ = try stack.seed(2)
    let people = try stack.employees()
    let department = try #require(people[0].department)
    #expect(department.people.count == 2)
    stack.context.delete(people[0])
    stack.context.processPendingChanges()
    #expect(department.people == [people[1]])
    #expect(department.isUpdated)
    try stack.context.save()
    #expect(try stack.employees(in: stack.anotherContext()).count == 1)
  }

  @Test("a cascade reads what it deletes together (B86)")
  func cascade() throws {
    let stack = try Stack()
    _ = try stack.seed(300)
    let context = stack.anotherContext()
    let department = try #require(
      try context.fetch(FetchRequest<Department>(entityName: "Department")).first)
    context.resetCounters()
    context.delete(department)
    try context.save()
    #expect(context.counters.roundTrips <= 5)
    #expect(try stack.employees(in: stack.anotherContext()).isEmpty)
  }

  @Test("deny fails the save while destinations are left, and only then (B87)")
  func deny() throws {
    let stack = try Stack()
    let context = stack.context
    let team = Team(context: context)
    let person = Guest(context: context)
    team.members = [person]
    try context.save()
    context.delete(team)
    #expect(code { try context.save() } == .validationRelationshipDeniedDelete)
    #expect(context.deletedObjects == [team])
    context.delete(person)
    try context.save()
    #expect(try context.fetch(FetchRequest<Team>(entityName: "Team")).isEmpty)
  }

  @Test("an object that was never saved is forgotten when it is deleted (B89)")
  func deleteInserted() throws {
    let stack = try Stack()
    let department = Department(context: stack.context)
    let person = Employee(context: stack.context)
    person.department = department
    stack.context.delete(person)
    stack.context.processPendingChanges()
    #expect(stack.context.deletedObjects.isEmpty)
    #expect(stack.context.insertedObjects == [department])
    #expect(department.people.isEmpty)
    #expect(person.managedObjectContext == nil)
    try stack.context.save()
    #expect(try stack.employees(in: stack.anotherContext()).isEmpty)
  }

  @Test("a deleted object has no context after the save (B90)")
  func afterSave() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let person = try #require(stack.employees().first)
    stack.context.delete(person)
    #expect(person.isDeleted)
    try stack.context.save()
    #expect(person.managedObjectContext == nil)
    #expect(!person.isDeleted)
  }

  @Test("a deleted object is not fetched before the save (B91)")
  func notFetched() throws {
    let stack = try Stack()
    _ = try stack.seed(3)
    let people = try stack.employees()
    stack.context.delete(people[1])
    #expect(try stack.employees() == [people[0], people[2]])
    #expect(try stack.context.count(for: FetchRequest<Employee>(entityName: "Employee")) == 2)
  }

  @Test("a chain of 100,000 objects is deleted by cascade without a deep stack")
  func deepCascade() throws {
    let model = ManagedObjectModel()
    let node = EntityDescription(name: "Node")
    let next = RelationshipDescription(name: "next", destination: node, maxCount: 1)
    let previous = RelationshipDescription(name: "previous", destination: node, maxCount: 1)
    next.inverseRelationship = previous
    previous.inverseRelationship = next
    next.deleteRule = .cascade
    node.properties = [next, previous]
    model.entities = [node]
    let container = try PersistentContainer(name: "chain", model: model, stores: [.inMemory()])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    var objects: [ManagedObject] = []
    for _ in 0..<100_000 {
      let object = ManagedObject(entity: node, insertInto: context)
      if let last = objects.last { try last.setValue(object, forKey: "next") }
      objects.append(object)
    }
    try context.save()
    context.delete(objects[0])
    try context.save()
    #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Node")) == 0)
  }
}
