// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@Suite("What a refresh takes over, and what it drops")
struct RefreshedValueTests {
  /// Returns a department's employee, and the same object in another context.
  private func makePair() throws -> (Stack, Employee, other: ManagedObjectContext, Employee) {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let other = stack.anotherContext()
    let mine = try #require(stack.context.existingObject(with: id) as? Employee)
    let theirs = try #require(other.existingObject(with: id) as? Employee)
    return (stack, mine, other, theirs)
  }

  @Test("a value that was set to what it was does not stand against the store's (B55, B116)")
  func equalValue() throws {
    let (stack, mine, other, theirs) = try makePair()
    mine.name = mine.name
    mine.age = 12
    theirs.name = "theirs"
    try other.save()
    try stack.context.refresh(mine, mergeChanges: true)
    #expect(mine.name == "theirs")
    #expect(mine.age == 12)
    try stack.context.save()
    #expect(try stack.storedNames() == ["theirs"])
  }

  @Test("the members of a to-many relationship are read anew by a refresh that merges (B116)")
  func members() throws {
    let (stack, mine, other, theirs) = try makePair()
    let department = try #require(mine.department)
    #expect(department.people.count == 1)
    department.name = "mine"
    let second = Employee(context: other)
    second.department = theirs.department
    try other.save()
    #expect(department.people.count == 1)
    try stack.context.refresh(department, mergeChanges: true)
    #expect(department.people.count == 2)
    #expect(department.name == "mine")
  }

  @Test("a refresh without merging gives a new object its default values (F33)")
  func newObject() throws {
    let stack = try Stack()
    let guest = Guest(context: stack.context)
    guest.room = 9
    guest.name = "Ada"
    try stack.context.refresh(guest, mergeChanges: false)
    #expect(guest.isInserted)
    #expect(guest.room == 1)
    #expect(guest.name == "")
  }

  @Test("a refresh without merging leaves nothing to save (B46)")
  func noChange() throws {
    let (stack, mine, _, _) = try makePair()
    mine.name = "mine"
    stack.context.processPendingChanges()
    try stack.context.refresh(mine, mergeChanges: false)
    #expect(!mine.hasChanges)
    #expect(stack.context.updatedObjects.isEmpty)
    #expect(!stack.context.hasChanges)
    #expect(mine.name == "P0")
  }

  @Test("the objects of a removed store are told as invalidated (B100, B235)")
  func removedStore() throws {
    let (stack, mine, _, _) = try makePair()
    let heard = Heard()
    let token = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didChangeObjectsNotification, object: stack.context, queue: nil
    ) { note in
      heard.invalidated += [ManagedObjectContext.ObjectChanges(note).hasInvalidatedAllObjects]
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let coordinator = stack.container.persistentStoreCoordinator
    try coordinator.remove(coordinator.persistentStores[0])
    stack.context.processPendingChanges()
    #expect(heard.invalidated == [true])
    #expect(mine.managedObjectContext == nil)
  }

  // Sendable: written and read by the test's one thread.
  private final class Heard: @unchecked Sendable {
    var invalidated: [Bool] = []
  }
}
