// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite("New objects")
struct NewObjectTests {
  @Test("changedValues lists what a primitive setter set on a new object (B347)")
  func primitives() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    // awakeFromInsert has set the stamp.
    #expect(witness.changedValues()["stamp"] as? Int == 5)
    #expect(witness.changedValues().keys.sorted() == ["stamp"])
    let person = Employee(context: stack.context)
    let department = Department(context: stack.context)
    #expect(person.changedValues().isEmpty)
    try person.setPrimitiveValue("Ada", forKey: "name")
    try person.setPrimitiveValue(department, forKey: "department")
    #expect(person.changedValues().keys.sorted() == ["department", "name"])
    try stack.context.save()
    #expect(person.changedValues().isEmpty)
    try person.setPrimitiveValue("Bob", forKey: "name")
    #expect(
      person.changedValues().isEmpty, "primitive values of saved objects are not tracked (B54)")
  }

  @Test("transient properties are neither changed nor committed values (B56, B58)")
  func transients() throws {
    let stack = try Stack()
    let person = Employee(context: stack.context)
    person.draft = "x"
    person.name = "Ada"
    #expect(person.changedValues().keys.sorted() == ["name"])
    try stack.context.save()
    person.draft = "y"
    #expect(person.changedValues().isEmpty)
    #expect(try person.committedValues(forKeys: nil)["draft"] == nil)
    #expect(try person.committedValues(forKeys: ["draft", "name"]).keys.sorted() == ["name"])
  }

  @Test("refreshing a new object without merging drops its values (B344)")
  func refresh() throws {
    let stack = try Stack()
    let person = Employee(context: stack.context)
    let department = Department(context: stack.context)
    person.name = "Ada"
    person.age = 3
    person.department = department
    try stack.context.refresh(person, mergeChanges: false)
    #expect(person.isFault)
    #expect(person.isInserted)
    #expect(stack.context.insertedObjects.contains(person))
    #expect(person.name == "")
    #expect(!person.isFault)
    #expect(person.age == 0)
    #expect(person.department == nil)
    #expect(department.people.isEmpty)
    try stack.context.refresh(person, mergeChanges: false)
    try stack.context.save()
    #expect(try stack.storedNames() == [""])
    person.name = "Bob"
    try stack.context.save()
    #expect(try stack.storedNames() == ["Bob"])
  }

  @Test("refreshing a new object with merging keeps its values (B119)")
  func refreshMerging() throws {
    let stack = try Stack()
    let person = Employee(context: stack.context)
    person.name = "Ada"
    try stack.context.refresh(person, mergeChanges: true)
    #expect(!person.isFault)
    #expect(person.name == "Ada")
  }

  @Test("a to-many relationship that is not optional may be empty (B340)")
  func emptyRelationship() throws {
    for (minimum, isValid) in [(0, true), (1, false), (2, false)] {
      let owner = EntityDescription(name: "Owner")
      let part = EntityDescription(name: "Part")
      let parts = RelationshipDescription(name: "parts", destination: part)
      parts.isOptional = false
      parts.minCount = minimum
      owner.properties = [parts]
      let container = try PersistentContainer(
        name: "empty", model: ManagedObjectModel(entities: [owner, part]), stores: [.inMemory()])
      try container.loadPersistentStores()
      let context = container.newBackgroundContext()
      _ = ManagedObject(entity: owner, insertInto: context)
      #expect((code { try context.save() } == nil) == isValid, "minimum \(minimum)")
    }
  }
}
