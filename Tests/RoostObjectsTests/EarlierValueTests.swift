// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite("Values before the current event")
struct EarlierValueTests {
  @Test("changedValuesForCurrentEvent gives the values before the event (B57)")
  func attributes() throws {
    let stack = try Stack()
    let person = Employee(context: stack.context)
    person.name = "Ada"
    #expect(person.changedValuesForCurrentEvent()["name"] as? String == "")
    try stack.context.save()
    person.name = "Bob"
    person.name = "Cleo"
    person.born = Date(timeIntervalSince1970: 0)
    #expect(person.changedValuesForCurrentEvent()["name"] as? String == "Ada")
    #expect(person.changedValuesForCurrentEvent()["born"] is NSNull)
    #expect(person.changedValues()["name"] as? String == "Cleo")
    stack.context.processPendingChanges()
    #expect(person.changedValuesForCurrentEvent().isEmpty)
    person.name = "Dan"
    person.name = "Eve"
    #expect(person.changedValuesForCurrentEvent()["name"] as? String == "Cleo")
    #expect(person.changedValuesForCurrentEvent().count == 1)
  }

  @Test(
    "destinations are those before the event, on both sides (B57, B69)", arguments: [false, true])
  func relationships(hasEarlierChanges: Bool) throws {
    let stack = try Stack()
    let (first, second) = (Department(context: stack.context), Department(context: stack.context))
    let (ada, bob) = (Employee(context: stack.context), Employee(context: stack.context))
    ada.department = first
    bob.department = first
    try stack.context.save()
    if hasEarlierChanges {
      for department in [first, second] { department.name = "x" }
      ada.name = "x"
      stack.context.processPendingChanges()
    }
    ada.department = second
    ada.department = nil
    #expect(ada.changedValuesForCurrentEvent()["department"] as? Department === first)
    #expect(first.changedValuesForCurrentEvent()["people"] as? Set<ManagedObject> == [ada, bob])
    #expect(second.changedValuesForCurrentEvent()["people"] as? Set<ManagedObject> == [])
    stack.context.processPendingChanges()
    ada.department = second
    #expect(ada.changedValuesForCurrentEvent()["department"] is NSNull)
    #expect(second.changedValuesForCurrentEvent()["people"] as? Set<ManagedObject> == [])
  }

  @Test("an ordered relationship is told in the order before the event (B57, B78)")
  func order() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    let milestones = (0..<3).map { _ in Milestone(context: stack.context) }
    team.milestones = milestones
    try stack.context.save()
    for round in 0..<2 {
      let before = team.milestones
      team.milestones = before.reversed()
      #expect(
        team.changedValuesForCurrentEvent()["milestones"] as? [ManagedObject] == before,
        "round \(round)")
      stack.context.processPendingChanges()
    }
  }

  @Test("a relationship that was not read is told with what the store has (B57)")
  func unread() throws {
    let stack = try Stack()
    _ = try stack.seed(2)
    let context = stack.anotherContext()
    let department = try #require(
      try context.fetch(FetchRequest<Department>(entityName: "Department")).first)
    let new = Employee(context: context)
    department.name = "changed"
    context.processPendingChanges()
    new.department = department
    let before = department.changedValuesForCurrentEvent()["people"] as? Set<ManagedObject>
    #expect(before?.count == 2)
    #expect(before?.contains(new) == false)
    #expect(department.people.count == 3)
  }

  @Test("an observer hears the values before the event that it is told of (B57, B97)")
  func observer() throws {
    let stack = try Stack()
    // The observer is called on this thread.
    nonisolated(unsafe) let person = Employee(context: stack.context)
    person.name = "Ada"
    try stack.context.save()
    // As above.
    nonisolated(unsafe) var heard: [String] = []
    let token = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didChangeObjectsNotification, object: stack.context, queue: nil
    ) { _ in heard.append(person.changedValuesForCurrentEvent()["name"] as? String ?? "-") }
    defer { NotificationCenter.default.removeObserver(token) }
    person.name = "Bob"
    stack.context.processPendingChanges()
    person.name = "Cleo"
    stack.context.processPendingChanges()
    stack.context.delete(person)
    person.name = "Dan"
    stack.context.processPendingChanges()
    #expect(heard == ["Ada", "Bob", "Cleo"])
  }
}
