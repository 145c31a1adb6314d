// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Roost
import Synchronization
import Testing

@Suite struct ContextMessageTests {
  @Test("what happens in a context can be awaited as values of any task (B97, B102)")
  func messages() async throws {
    let stack = try Stack()
    stack.context.name = "main"
    let saves = stack.context.messages(of: ManagedObjectContext.DidSaveObjectIDsMessage.self)
    let changes = stack.context.messages(of: ManagedObjectContext.ObjectsDidChangeMessage.self)
    let begins = stack.context.messages(of: ManagedObjectContext.WillSaveMessage.self)
    let team = Team(context: stack.context)
    try stack.context.save()
    team.title = "Gold"
    try stack.context.save()
    let id = team.objectID
    let heard = Task {
      var iterator = saves.makeAsyncIterator()
      return [await iterator.next(), await iterator.next()]
    }
    let found = await heard.value
    #expect(found.first??.changes.insertedObjectIDs == [id])
    #expect(found.first??.contextName == "main")
    #expect(found.last??.changes.updatedObjectIDs == [id])
    var change = changes.makeAsyncIterator()
    #expect(await change.next()?.changes.insertedObjectIDs.count == 1)
    var begin = begins.makeAsyncIterator()
    #expect(await begin.next()?.contextName == "main")
  }

  @Test("messages end with their context")
  func end() async throws {
    let container = try Stack().container
    var context: ManagedObjectContext? = ManagedObjectContext(
      coordinator: container.persistentStoreCoordinator)
    let messages = try #require(context).messages(
      of: ManagedObjectContext.ObjectsDidChangeMessage.self)
    context?.reset()
    context = nil
    var count = 0
    for await _ in messages { count += 1 }
    #expect(count == 1, "the reset")
  }

  @Test("hasChanges can be observed: once when changes begin, once when they end (B105)")
  func observation() throws {
    let stack = try Stack()
    let count = Mutex(0)
    func observe() -> Bool {
      withObservationTracking {
        stack.context.hasChanges
      } onChange: {
        count.withLock { $0 += 1 }
      }
    }
    #expect(!observe())
    let team = Team(context: stack.context)
    team.title = "Gold"
    #expect(count.withLock { $0 } == 1)
    #expect(observe())
    team.title = "Silver"
    _ = Team(context: stack.context)
    #expect(count.withLock { $0 } == 1)
    try stack.context.save()
    #expect(count.withLock { $0 } == 2)
    #expect(!observe())
    team.title = "Bronze"
    #expect(observe())
    stack.context.rollback()
    #expect(count.withLock { $0 } == 4)
    #expect(!observe())
    stack.context.delete(team)
    stack.context.undo()
    #expect(count.withLock { $0 } == 5)
  }

  @Test("a notification whose name nobody asked for is not posted (B102)")
  func unwanted() async {
    await #expect(processExitsWith: .success) {
      let heard = Atomic<Int>(0)
      let token = NotificationCenter.default.addObserver(
        forName: Notification.Name("RoostManagedObjectContextDidSave"), object: nil, queue: nil
      ) { _ in heard.add(1, ordering: .relaxed) }
      let context = try Stack().context
      _ = Team(context: context)
      try context.save()
      #expect(heard.load(ordering: .relaxed) == 0)
      _ = ManagedObjectContext.didSaveObjectsNotification
      _ = Team(context: context)
      try context.save()
      #expect(heard.load(ordering: .relaxed) == 1)
      NotificationCenter.default.removeObserver(token)
    }
  }

  @Test("the typed sets of a notification are empty for notifications of others (B102)")
  func foreignNotification() {
    let note = Notification(name: .init("other"), object: nil, userInfo: ["inserted": 1])
    #expect(ManagedObjectContext.ObjectChanges(note).insertedObjects.isEmpty)
    #expect(ManagedObjectContext.ObjectIDChanges(note).insertedObjectIDs.isEmpty)
  }
}
