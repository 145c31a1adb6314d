// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct ChangeTrackingTests {
  @Test("an unknown key is an error, when read and when set (B53)")
  func unknownKeys() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    #expect(code { _ = try team.value(forKey: "nothing") } == .unknownKey)
    #expect(code { try team.setValue(1, forKey: "nothing") } == .unknownKey)
    #expect(code { _ = try team.committedValues(forKeys: ["nothing"]) } == .unknownKey)
  }

  @Test("a value of another type is refused and changes nothing (B53, B72)")
  func wrongTypes() throws {
    let stack = try Stack()
    let guest = Guest(context: stack.context)
    try stack.context.save()
    #expect(code { try guest.setValue("five", forKey: "room") } == .invalidValue)
    #expect(code { try guest.setValue(70_000, forKey: "room") } == .invalidValue)
    #expect(code { try guest.setValue(Date(), forKey: "name") } == .invalidValue)
    #expect(code { try guest.setValue([guest], forKey: "spouse") } == .invalidValue)
    #expect(
      code { try guest.setValue(Team(context: stack.context), forKey: "spouse") }
        == .invalidValue)
    #expect(!guest.hasChanges)
  }

  @Test("keyed access gives numbers that convert, objects and collections (B35)")
  func keyedAccess() throws {
    let stack = try Stack()
    let person = Employee(context: stack.context)
    try person.setValue(41, forKey: "age")
    try person.setValue("Ada", forKey: "name")
    #expect(try person.value(forKey: "age") as? Int == 41)
    #expect(try person.value(forKey: "age") as? Int32 == 41)
    #expect(person.age == 41)
    #expect(try person.value(forKey: "name") as? String == "Ada")
    let department = Department(context: stack.context)
    try person.setValue(department, forKey: "department")
    #expect(try department.value(forKey: "people") as? Set<ManagedObject> == [person])
    #expect(try department.value(forKeyPath: "people.name") as? [Any?] != nil)
    #expect(try person.value(forKeyPath: "department.name") as? String == "")
  }

  @Test("setting a property makes the object updated and the context changed (B54)")
  func settingDirties() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    try stack.context.save()
    #expect(!team.isUpdated)
    team.title = "Gold"
    #expect(team.isUpdated)
    #expect(stack.context.updatedObjects == [team])
    #expect(stack.context.hasChanges)
  }

  @Test("an equal value makes an object updated, but nothing is changed or written (B55)")
  func equalValue() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    team.title = "Gold"
    try stack.context.save()
    team.title = "Gold"
    #expect(team.hasChanges)
    #expect(!team.hasPersistentChangedValues)
    #expect(team.changedValues().isEmpty)
    try stack.context.save()
    #expect(!stack.context.hasChanges)
    let other = stack.anotherContext()
    let same = try #require(try other.existingObject(with: team.objectID) as? Team)
    same.title = "Silver"
    try other.save()
    #expect(code { try stack.context.save() } == nil)
  }

  @Test("changedValues has what differs from the record, committedValues what it holds (B56, B58)")
  func changedAndCommitted() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let person = try #require(stack.employees().first)
    person.age = 5
    person.draft = "not stored"
    #expect(person.changedValues().keys.sorted() == ["age"])
    #expect(person.changedValues()["age"] as? Int == 5)
    let committed = try person.committedValues(forKeys: ["age", "name", "born"])
    #expect(committed["age"] as? Int == 0)
    #expect(committed["name"] as? String == "P0")
    #expect(committed["born"] is NSNull)
    person.department = nil
    #expect(person.changedValues()["department"] is NSNull)
    #expect(try person.committedValues(forKeys: ["department"])["department"] is Department)
  }

  @Test("a transient attribute makes changes that are not written, and survives a save (B59, B313)")
  func transientAttribute() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let person = try #require(stack.employees().first)
    person.draft = "idea"
    #expect(person.hasChanges)
    #expect(person.changedValues().isEmpty)
    try stack.context.save()
    #expect(person.draft == "idea")
    person.name = "other"
    stack.context.rollback()
    #expect(person.name == "P0")
    #expect(person.draft == "idea")
    try stack.context.refresh(person, mergeChanges: true)
    #expect(person.draft == "idea")
    try stack.context.refresh(person, mergeChanges: false)
    #expect(person.draft == nil)
    let other = try #require(try stack.employees(in: stack.anotherContext()).first)
    #expect(other.draft == nil)
  }

  @Test("an unmodelled property does not make an object changed (B60)")
  func unmodelled() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    try stack.context.save()
    witness.calls.append("mine")
    #expect(!witness.hasChanges)
  }

  @Test("an inserted object that is changed stays inserted, a deleted one deleted (B61, B62)")
  func disjointSets() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    team.title = "Gold"
    #expect(stack.context.updatedObjects.isEmpty)
    try stack.context.save()
    team.title = "Silver"
    stack.context.delete(team)
    #expect(stack.context.updatedObjects.isEmpty)
    #expect(stack.context.deletedObjects == [team])
  }

  @Test("key paths have the names of their properties")
  func keyPathNames() {
    #expect(Employee.propertyPath(for: \Employee.age) == ["age"])
    #expect(Employee.propertyPath(for: \Employee.name) == ["name"])
    #expect(Employee.propertyPath(for: \Employee.department?.name) == ["department", "name"])
    #expect(Department.propertyPath(for: \Department.people) == ["people"])
    #expect(Milestone.propertyPath(for: \Milestone.team?.milestones) == ["team", "milestones"])
  }
}
