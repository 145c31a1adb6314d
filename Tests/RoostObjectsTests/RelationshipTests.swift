// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct RelationshipTests {
  @Test("setting a to-one side changes the to-many side at once, and back (B65, B66)")
  func oneToMany() throws {
    let stack = try Stack()
    let context = stack.context
    let (first, second) = (Department(context: context), Department(context: context))
    let person = Employee(context: context)
    person.department = first
    #expect(first.people == [person])
    person.department = second
    #expect(first.people.isEmpty)
    #expect(second.people == [person])
    first.people.insert(person)
    #expect(person.department === first)
    #expect(second.people.isEmpty)
    first.people = []
    #expect(person.department == nil)
  }

  @Test(
    "new objects that are related, moved, left out and deleted before a save stand where they belong (B65, B66)"
  )
  func manyNewObjects() throws {
    let stack = try Stack()
    let context = stack.context
    let departments = (0..<2).map { _ in Department(context: context) }
    let people = (0..<40).map { _ in Employee(context: context) }
    for person in people { person.department = departments[0] }
    people[1].department = departments[1]
    people[2].department = nil
    people[3].department = departments[0]
    context.delete(people[4])
    context.processPendingChanges()
    let left = Set(people).subtracting([people[1], people[2], people[4]])
    #expect(departments[0].people == left)
    #expect(departments[1].people == [people[1]])
    try context.save()
    people[2].department = departments[0]
    #expect(departments[0].people == left.union([people[2]]))
    context.rollback()
    #expect(departments[0].people == left)
    let other = stack.anotherContext()
    let same = try #require(
      try other.existingObject(with: departments[0].objectID) as? Department)
    #expect(Set(same.people.map(\.objectID)) == Set(left.map(\.objectID)))
  }

  @Test(
    "a destination that only one side knew is not listed twice when the other side is told (B54, B65)"
  )
  func primitiveSide() throws {
    let stack = try Stack()
    let context = stack.context
    let department = Department(context: context)
    let person = Employee(context: context)
    try department.setPrimitiveValue(Set([person]), forKey: "people")
    person.department = department
    #expect(department.people == [person])
    try context.save()
    person.department = nil
    #expect(department.people.isEmpty)
  }

  @Test("stealing the destination of a one-to-one relationship leaves its owner with nothing (B67)")
  func oneToOne() throws {
    let stack = try Stack()
    let context = stack.context
    let (ada, bob) = (Employee(context: context), Employee(context: context))
    let badge = Badge(context: context)
    ada.badge = badge
    #expect(badge.owner === ada)
    bob.badge = badge
    #expect(ada.badge == nil)
    #expect(badge.owner === bob)
    try context.save()
    badge.owner = ada
    #expect(bob.badge == nil)
    #expect(ada.badge === badge)
    try context.save()
    let other = stack.anotherContext()
    let sameBob = try #require(try other.existingObject(with: bob.objectID) as? Employee)
    #expect(sameBob.badge == nil)
    let sameAda = try #require(try other.existingObject(with: ada.objectID) as? Employee)
    #expect(sameAda.badge?.objectID == badge.objectID)
  }

  @Test("replacing a to-many collection relates what is new and unrelates what is left out (B68)")
  func replaceCollection() throws {
    let stack = try Stack()
    let context = stack.context
    let department = Department(context: context)
    let people = (0..<4).map { _ in Employee(context: context) }
    department.people = Set(people[0..<3])
    department.people = Set(people[2..<4])
    #expect(people.map { $0.department === department } == [false, false, true, true])
  }

  @Test("an object that is touched through an inverse only is updated (B69)")
  func touchedThroughInverse() throws {
    let stack = try Stack()
    let context = stack.context
    let department = Department(context: context)
    try context.save()
    let person = Employee(context: context)
    person.department = department
    #expect(department.isUpdated)
    #expect(context.updatedObjects == [department])
  }

  @Test("many-to-many relationships are symmetric and saved once (B77)")
  func manyToMany() throws {
    let stack = try Stack()
    let context = stack.context
    let (red, blue) = (Team(context: context), Team(context: context))
    let (ada, bob) = (Employee(context: context), Guest(context: context))
    red.members = [ada, bob]
    bob.teams.insert(blue)
    #expect(bob.teams == [red, blue])
    #expect(ada.teams == [red])
    try context.save()
    let other = stack.anotherContext()
    let sameRed = try #require(try other.existingObject(with: red.objectID) as? Team)
    #expect(Set(sameRed.members.map(\.objectID)) == [ada.objectID, bob.objectID])
    let sameBob = try #require(try other.existingObject(with: bob.objectID) as? Guest)
    #expect(Set(sameBob.teams.map(\.objectID)) == [red.objectID, blue.objectID])
    sameRed.members.remove(sameBob)
    try other.save()
    let third = stack.anotherContext()
    let lastBob = try #require(try third.existingObject(with: bob.objectID) as? Guest)
    #expect(lastBob.teams.map(\.objectID) == [blue.objectID])
  }

  @Test("a relationship can be its own inverse (B76)")
  func selfInverse() throws {
    let stack = try Stack()
    let context = stack.context
    let people = (0..<3).map { _ in Employee(context: context) }
    people[0].spouse = people[1]
    #expect(people[1].spouse === people[0])
    people[2].spouse = people[1]
    #expect(people[0].spouse == nil)
    #expect(people[1].spouse === people[2])
    try context.save()
    let other = stack.anotherContext()
    let same = try #require(try other.existingObject(with: people[1].objectID) as? Employee)
    #expect(same.spouse?.objectID == people[2].objectID)
  }

  @Test("an ordered relationship keeps its order, and a move writes few rows (B78, B79, B81)")
  func ordered() throws {
    let stack = try Stack()
    let context = stack.context
    let team = Team(context: context)
    let steps = (0..<10).map { index in
      let step = Milestone(context: context)
      step.title = "S\(index)"
      return step
    }
    team.milestones = steps
    try context.save()
    let late = Milestone(context: context)
    late.title = "late"
    late.team = team
    #expect(team.milestones.last === late)
    try context.save()

    let other = stack.anotherContext()
    let same = try #require(try other.existingObject(with: team.objectID) as? Team)
    #expect(same.milestones.map(\.title) == steps.map(\.title) + ["late"])
    let before = try stack.versions(of: same.milestones)
    same.milestones.insert(same.milestones.removeLast(), at: 0)
    try other.save()
    // Only the one that moved was written: a save that writes a record makes its version one more (B173).
    let after = try stack.versions(of: same.milestones)
    #expect(after == [try #require(before.last) + 1] + before.dropLast())

    let third = stack.anotherContext()
    let last = try #require(try third.existingObject(with: team.objectID) as? Team)
    #expect(last.milestones.map(\.title) == ["late"] + steps.map(\.title))
  }

  @Test("adding to a to-many relationship does not read its members")
  func addWithoutLoading() throws {
    let stack = try Stack()
    _ = try stack.seed(20)
    let department = try #require(
      try stack.context.fetch(FetchRequest<Department>(entityName: "Department")).first)
    stack.context.resetCounters()
    let person = Employee(context: stack.context)
    person.department = department
    #expect(department.hasFault(forRelationshipNamed: "people"))
    #expect(stack.context.counters.roundTrips == 0)
    #expect(department.people.count == 21)
  }

  @Test("two members that change places are the only rows that are written (B81)")
  func positions() throws {
    let stack = try Stack()
    let context = stack.context
    let team = Team(context: context)
    team.milestones = (0..<100).map { _ in Milestone(context: context) }
    try context.save()
    var list = team.milestones
    let versions = Dictionary(
      uniqueKeysWithValues: zip(list.map(\.objectID), try stack.versions(of: list)))
    list.swapAt(10, 60)
    team.milestones = list
    try context.save()
    let after = try stack.versions(of: list)
    let written = list.indices.filter { after[$0] != versions[list[$0].objectID] }
    #expect(written == [10, 60])
    #expect(team.milestones == list)
  }
}
