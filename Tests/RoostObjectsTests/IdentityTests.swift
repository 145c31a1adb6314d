// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct IdentityTests {
  @Test("a new object is registered with a temporary ID and runs awakeFromInsert once (B19, B24)")
  func insertRegisters() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    #expect(witness.objectID.isTemporaryID)
    #expect(witness.objectID.persistentStore == nil)
    #expect(stack.context.insertedObjects == [witness])
    #expect(witness.isInserted)
    #expect(witness.calls == ["awakeFromInsert"])
  }

  @Test("an object without a context has its defaults and awakes when it is inserted (B20)")
  func insertLater() throws {
    let stack = try Stack()
    let entity = try #require(
      stack.container.managedObjectModel.entitiesByName["Witness"])
    let witness = Witness(entity: entity, insertInto: nil)
    #expect(witness.managedObjectContext == nil)
    #expect(witness.stamp == 0)
    #expect(witness.calls.isEmpty)
    stack.context.insert(witness)
    #expect(witness.calls == ["awakeFromInsert"])
    #expect(witness.managedObjectContext === stack.context)
  }

  @Test(
    "an abstract entity has no instances: the save says so and the context stays as it was (B23)")
  func abstractEntity() throws {
    let stack = try Stack()
    let entity = try #require(stack.container.managedObjectModel.entitiesByName["Person"])
    _ = Person(entity: entity, insertInto: stack.context)
    #expect(stack.context.insertedObjects.isEmpty)
    #expect(code { try stack.context.save() } == .abstractEntity)
    #expect(code { try stack.context.save() } == nil)
  }

  @Test(
    "records of two stores that have one key are two objects, whichever of them comes or goes (B32)"
  )
  func oneKeyInTwoStores() throws {
    let stacks = try [Stack(), Stack()]
    let ids = try stacks.map { stack in
      let witnesses = (0..<20).map { _ in Witness(context: stack.context) }
      try stack.context.save()
      return witnesses.map(\.objectID)
    }
    let context = stacks[0].container.newBackgroundContext()
    var first = ids[0].map { context.object(with: $0) }
    var second = ids[1].map { context.object(with: $0) }
    #expect(context.registeredObjects.count == 40)
    for (id, object) in zip(ids[0] + ids[1], first + second) {
      #expect(object.objectID == id && context.registeredObject(for: id) === object)
    }
    first = []
    #expect(context.registeredObjects == Set(second))
    #expect(ids[0].allSatisfy { context.registeredObject(for: $0) == nil })
    for (id, object) in zip(ids[1], second) {
      #expect(context.registeredObject(for: id) === object)
    }
    first = ids[0].map { context.object(with: $0) }
    second = []
    for (id, object) in zip(ids[0], first) {
      #expect(context.registeredObject(for: id) === object)
    }
    #expect(context.registeredObjects == Set(first))
  }

  @Test("the same object has a permanent ID after its first save (B24)")
  func permanentID() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    let temporary = team.objectID
    try stack.context.save()
    #expect(!team.objectID.isTemporaryID)
    #expect(team.objectID != temporary)
    #expect(stack.context.object(with: team.objectID) === team)
    #expect(stack.context.object(with: temporary) === team)
  }

  @Test("permanent IDs are equal in all contexts and survive as URIs (B25, B26)")
  func equalIDs() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let other = try #require(stack.employees(in: stack.anotherContext()).first)
    #expect(other.objectID == id)
    let uri = id.uriRepresentation()
    #expect(
      stack.container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri) == id)
  }

  @Test("obtainPermanentIDs swaps IDs early, and the objects stay inserted (B28)")
  func obtainPermanentIDs() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    try stack.context.obtainPermanentIDs(for: [team])
    let id = team.objectID
    #expect(!id.isTemporaryID)
    #expect(team.isInserted)
    try stack.context.save()
    #expect(team.objectID == id)
    #expect(try stack.anotherContext().existingObject(with: id).objectID == id)
  }

  @Test("a temporary ID means nothing to another context (B29)")
  func temporaryElsewhere() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    let other = stack.anotherContext()
    #expect(other.registeredObject(for: team.objectID) == nil)
    #expect(
      code { _ = try other.existingObject(with: team.objectID) } == .objectReferentialIntegrity)
  }

  @Test("an object of another context is neither inserted nor related: the save says why (B31)")
  func differentContexts() throws {
    let stack = try Stack()
    let other = stack.anotherContext()
    let team = Team(context: other)
    stack.context.insert(team)
    #expect(team.managedObjectContext === other)
    #expect(code { try stack.context.save() } == .differentContexts)

    let milestone = Milestone(context: stack.context)
    milestone.team = team
    #expect(milestone.team == nil)
    #expect(team.milestones.isEmpty)
    #expect(code { try stack.context.save() } == .differentContexts)
    #expect(code { try milestone.setValue(team, forKey: "team") } == .differentContexts)
    #expect(code { try stack.context.save() } == nil)
  }

  @Test("a class that an entity names is the class of its objects (B3, B301)")
  func classes() throws {
    let stack = try Stack()
    _ = Employee(context: stack.context)
    _ = Guest(context: stack.context)
    try stack.context.save()
    let people = try stack.anotherContext().fetch(FetchRequest<Person>(entityName: "Person"))
    #expect(Set(people.map { "\(type(of: $0))" }) == ["Employee", "Guest"])
    #expect(Set(people.map { $0.objectID.entity.name }) == ["Employee", "Guest"])
  }
}
