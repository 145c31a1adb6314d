// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

/// Tests of parent and child contexts, as far as objects and queues are concerned; the kit tests the effect on
/// stores.
@Suite struct HierarchyTests {
  @Test("the child runs the life cycle, and the parent does not make objects anew (B21, B206)")
  func lifeCycle() throws {
    let stack = try Stack()
    let child = ManagedObjectContext(parent: stack.context)
    let witness = Witness(context: child)
    witness.title = "a"
    #expect(witness.stamp == 5)
    try child.save()
    #expect(witness.calls == ["awakeFromInsert", "willSave", "didSave temporary"])
    let mine = try #require(
      try stack.context.fetch(FetchRequest<Witness>(entityName: "Witness")).first)
    #expect(!mine.calls.contains("awakeFromInsert"))
    #expect(mine.stamp == 5)
    try stack.context.save()
    #expect(mine.calls.suffix(2) == ["willSave", "didSave permanent"])
    #expect(!witness.objectID.isTemporaryID)
  }

  @Test("transient values ride up with a child's save, and not down (B59, B206, B348)")
  func transients() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let child = ManagedObjectContext(parent: stack.context)
    let person = try stack.employees(in: child)[0]
    person.draft = "draft"
    #expect(child.hasChanges)
    try child.save()
    let mine = try stack.employees()[0]
    #expect(mine.draft == "draft")
    let sibling = ManagedObjectContext(parent: stack.context)
    #expect(try stack.employees(in: sibling)[0].draft == nil)
    try stack.context.save()
    #expect(!stack.context.hasChanges)
  }

  @Test("a child's save is one event of its parent (B206, B212)")
  func events() throws {
    let stack = try Stack()
    _ = try stack.seed(2)
    let people = try stack.employees()
    _ = people.map(\.name)
    let child = ManagedObjectContext(parent: stack.context)
    for person in try stack.employees(in: child) { person.age = 50 }
    Employee(context: child).name = "new"
    let notes = Notes(stack.context)
    try child.save()
    #expect(notes.count == 1)
    #expect(notes.last?.insertedObjects.count == 1)
    #expect(notes.last?.updatedObjects == Set(people))
  }

  @Test("a temporary ID whose number looks like that of a record is nobody else's ID (B32, B202)")
  func numbersThatLookLikeKeys() throws {
    let stack = try Stack()
    _ = try stack.seed(3)
    let people = try stack.employees()
    let code = RecordKey.entityCode(of: people[0].objectID.key)
    let entity = people[0].entity
    var last = people[0].objectID
    var new: Employee?
    // Concurrent tests take numbers too: repeats until the code matches.
    while new.map({ RecordKey.entityCode(of: $0.objectID.key) }) != code {
      if let missed = new { stack.context.delete(missed) }
      repeat {
        last = IDScope.makeTemporaryID(for: entity)
      } while last.key & 4095 != Int64(code + 1)
      new = Employee(context: stack.context)
    }
    for person in people { person.age += 1 }
    let child = ManagedObjectContext(parent: stack.context)
    let found = try stack.employees(in: child)
    #expect(found.count == 4)
    #expect(found[0].objectID == new?.objectID)
    #expect(Set(found.dropFirst().map(\.objectID)) == Set(people.map(\.objectID)))
  }

  // Sendable: notifications come on the thread of the test.
  private final class Notes: @unchecked Sendable {
    private(set) var count = 0
    private(set) var last: ManagedObjectContext.ObjectChanges?
    private var token: (any NSObjectProtocol)?

    init(_ context: ManagedObjectContext) {
      token = NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.didChangeObjectsNotification, object: context, queue: nil
      ) { [weak self] note in
        self?.count += 1
        self?.last = ManagedObjectContext.ObjectChanges(note)
      }
    }

    deinit {
      if let token { NotificationCenter.default.removeObserver(token) }
    }
  }

  @Test("undo in the parent takes a child's save back as a whole (B212)")
  func undoing() throws {
    let stack = try Stack()
    _ = try stack.seed(2)
    stack.context.undoManager = ChangeUndoManager()
    let names = try stack.employees().map(\.name)
    let child = ManagedObjectContext(parent: stack.context)
    for person in try stack.employees(in: child) {
      person.name = "changed"
      child.processPendingChanges()
    }
    Employee(context: child).name = "new"
    try child.save()
    #expect(try stack.employees().count == 3)
    stack.context.undo()
    #expect(try stack.employees().map(\.name) == names)
    stack.context.redo()
    #expect(try stack.employees().map(\.name).contains("changed"))
  }

  @Test("a parent that waits for a child with performAndWait does not wait for ever (B209, B223)")
  func reentrance() throws {
    let stack = try Stack()
    _ = try stack.seed(3)
    let parent = stack.context
    let child = ManagedObjectContext(parent: parent)
    let grandchild = ManagedObjectContext(parent: child)
    let count = try parent.performAndWait {
      try child.performAndWait {
        try grandchild.performAndWait {
          let people = try stack.employees(in: grandchild)
          people[0].name = "deep"
          try grandchild.save()
          try child.save()
          return people.count
        }
      }
    }
    #expect(count == 3)
    #expect(try stack.employees()[0].name == "deep")
  }

  @Test("children on other threads enter the parent's queue (B209, B222)")
  func threads() async throws {
    let stack = try Stack()
    let ids = try stack.seed(40)
    let actor = ContextActor(coordinator: stack.container.persistentStoreCoordinator)
    await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        let child = await actor.newChildContext()
        group.addTask {
          for id in ids[(number * 5)..<(number * 5 + 5)] {
            let person = try child.existingObject(with: id) as? Employee
            person?.age += 1
            let new = Employee(context: child)
            new.name = "n\(number)"
            try child.save()
          }
        }
      }
    }
    let (saved, changed) = try await actor.perform { context in
      let before = context.updatedObjects.count
      try context.save()
      return (context.hasChanges, before)
    }
    #expect(!saved)
    #expect(changed >= 40)
    #expect(try stack.storedNames().count == 80)
  }

  @Test("an actor's work is on the queue of its context (B221)")
  func actorQueue() async throws {
    let stack = try Stack()
    let actor = ContextActor(coordinator: stack.container.persistentStoreCoordinator)
    let isInline = await actor.perform { context in
      var ran = false
      context.performAndWait { ran = true }
      return ran
    }
    #expect(isInline)
  }

  @Test("a child keeps its parent alive (B205)")
  func lifetime() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let child = ManagedObjectContext(
      parent: ManagedObjectContext(parent: stack.anotherContext()))
    let person = try stack.employees(in: child)[0]
    person.name = "x"
    try child.save()
    try #require(child.parent).save()
    try #require(child.parent?.parent).save()
    #expect(try stack.storedNames() == ["x"])
  }

  @Test("a context that is driven by its queue merges as soon as it hears of a save (B218)")
  func merging() async throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let actor = ContextActor(coordinator: stack.container.persistentStoreCoordinator)
    await actor.perform { $0.automaticallyMergesChangesFromParent = true }
    let before = try await actor.perform { context in
      context.retainsRegisteredObjects = true
      return try (context.existingObject(with: id) as? Employee)?.age
    }
    let mine = try #require(try stack.context.existingObject(with: id) as? Employee)
    mine.age = 77
    try stack.context.save()
    let after = try await actor.perform { context in
      context.performAndWait {}
      context.processPendingChanges()
      return try (context.existingObject(with: id) as? Employee)?.age
    }
    #expect(before == 0)
    #expect(after == 77)
  }

  @Test("a coordinator, or a parent, can be given later, and types have numbers")
  func settingUp() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let context = ManagedObjectContext(.privateQueue)
    #expect(code { _ = try stack.employees(in: context) } == .contextWithoutCoordinator)
    context.persistentStoreCoordinator = stack.container.persistentStoreCoordinator
    #expect(try stack.employees(in: context).count == 1)
    let child = ManagedObjectContext(.mainQueue)
    child.parent = context
    #expect(child.persistentStoreCoordinator === context.persistentStoreCoordinator)
    #expect(ManagedObjectContext.ConcurrencyType(rawValue: 2) == .mainQueue)
    #expect(ManagedObjectContext.ConcurrencyType(rawValue: 1) == .privateQueue)
    #expect(ManagedObjectContext.ConcurrencyType(rawValue: 9) == nil)
  }
}
