// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct PrimitiveAccessTests {
  @Test("what awakeFromInsert sets by primitive access is saved with the new object (B22, B347)")
  func baseline() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    #expect(witness.stamp == 5)
    #expect(witness.changedValues()["stamp"] as? Int == 5)
    try stack.context.save()
    let other = stack.anotherContext()
    #expect(
      try other.existingObject(with: witness.objectID).committedValues(forKeys: ["stamp"])["stamp"]
        as? Int == 5)
  }

  @Test("a primitive setter neither changes the object nor the inverse (B54, B70)")
  func untracked() throws {
    let stack = try Stack()
    let person = Employee(context: stack.context)
    let department = Department(context: stack.context)
    try stack.context.save()
    try person.setPrimitiveValue("Ada", forKey: "name")
    try person.setPrimitiveValue(department, forKey: "department")
    #expect(person.name == "Ada")
    #expect(person.department === department)
    #expect(!person.hasChanges)
    #expect(person.changedValues().isEmpty)
    #expect(department.people.isEmpty)
    #expect(!stack.context.hasChanges)
    #expect(code { try person.setPrimitiveValue(1, forKey: "nothing") } == .unknownKey)
    #expect(code { try person.setPrimitiveValue(1, forKey: "name") } == .invalidValue)
  }

  @Test("a primitive getter fires no fault, willAccessValue does (B35)")
  func quietGetter() throws {
    let stack = try Stack()
    let person = stack.context.object(with: try stack.seed(1)[0])
    #expect(try person.primitiveValue(forKey: "name") == nil)
    #expect(person.isFault)
    person.willAccessValue(forKey: nil)
    #expect(!person.isFault)
    #expect(try person.primitiveValue(forKey: "name") as? String == "P0")
    person.didAccessValue(forKey: nil)
  }

  @Test("a primitive change in willSave is no new change (B164)")
  func primitiveInWillSave() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    witness.onWillSave = { witness in
      try? witness.setPrimitiveValue(witness.stamp + 1, forKey: "stamp")
    }
    try stack.context.save()
    #expect(witness.calls.filter { $0 == "willSave" }.count == 1)
    #expect(witness.stamp == 6)
  }

  @Test("a transformable is its object in memory and bytes in the store (B63, B64)")
  func transformable() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    witness.tags = ["a", "b"]
    try stack.context.save()
    let other = stack.anotherContext()
    let same = try #require(try other.existingObject(with: witness.objectID) as? Witness)
    #expect(same.tags == ["a", "b"])
    same.tags?.append("c")
    #expect(same.hasChanges)
    try other.save()
    try stack.context.refresh(witness, mergeChanges: false)
    #expect(witness.tags == ["a", "b", "c"])
  }

  @Test("relationships of a deleted object are torn down by willSave (B92)")
  func tornDown() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    let person = Guest(context: stack.context)
    person.teams = [team]
    let witness = Witness(context: stack.context)
    try stack.context.save()
    stack.context.delete(person)
    witness.stamp = 9
    var seen: Bool?
    witness.onWillSave = { _ in seen = person.teams.isEmpty && team.members.isEmpty }
    try stack.context.save()
    #expect(seen == true)
  }

  @Test("what didSave changes makes the context dirty again (B168), and resurrects nothing (B95)")
  func didSave() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    witness.onDidSave = { if $0.stamp == 5 { $0.stamp = 6 } }
    try stack.context.save()
    #expect(witness.stamp == 6)
    #expect(stack.context.updatedObjects == [witness])
    try stack.context.save()
    #expect(!stack.context.hasChanges)

    witness.onDidSave = { stack.context.insert($0) }
    stack.context.delete(witness)
    try stack.context.save()
    #expect(witness.managedObjectContext == nil)
    #expect(!stack.context.hasChanges)
  }

  @Test("an object whose record is gone is exempt from validation (B157)")
  func exempt() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    let person = Guest(context: stack.context)
    team.members = [person]
    try stack.context.save()
    let other = stack.anotherContext()
    let same = try #require(other.object(with: team.objectID) as? Team)
    person.teams = []
    stack.context.delete(team)
    try stack.context.save()
    #expect(same.title == "")
    #expect(same.isDeleted)
    try other.save()
  }
}
