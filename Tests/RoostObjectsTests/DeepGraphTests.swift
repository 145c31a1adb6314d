// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

/// A chain of objects of any length.
@Entity final class Wagon: ManagedObject {
  var number: Int64 = 0
  @Relationship(deleteRule: .cascade, inverse: \.previous) var next: Wagon?
  @Relationship(inverse: \.next) var previous: Wagon?
}

/// Tests that nothing recurses as deep as the user's data: each test runs on a thread with a stack of 512 KB, too
/// small for one frame per object.
@Suite(.serialized) struct DeepGraphTests {
  /// The length of a chain; `ROOST_DEEP_LENGTH` changes it.
  static let length =
    ProcessInfo.processInfo.environment["ROOST_DEEP_LENGTH"].flatMap(Int.init) ?? 20_000

  @Test("a chain is validated and saved without a deep stack (B148, B161)")
  func saving() throws {
    try onSmallStack { train in
      train.couple()
      try train.context.save()
      #expect(!train.context.hasChanges)
      #expect(try train.storedCount() == Self.length)
    }
  }

  @Test("a chain is deleted by cascade without a deep stack (B86)")
  func cascade() throws {
    try onSmallStack { train in
      train.couple()
      try train.context.save()
      train.context.delete(train.wagons[0])
      train.context.processPendingChanges()
      #expect(train.context.deletedObjects.count == Self.length)
      try train.context.save()
      #expect(try train.storedCount() == 0)
    }
  }

  @Test("a chain that was never saved is deleted by cascade and leaves no trace (B89)")
  func cascadeOfNewObjects() throws {
    try onSmallStack { train in
      train.couple()
      train.context.delete(train.wagons[0])
      train.context.processPendingChanges()
      #expect(!train.context.hasChanges)
      #expect(train.context.registeredObjects.isEmpty)
    }
  }

  @Test(
    "a chain goes away with the last reference to its head, on a queue or without one (B45)",
    arguments: [false, true])
  func lastReference(usesQueue: Bool) throws {
    try onSmallStack { train in
      if usesQueue { train.context.performAndWait {} }
      train.couple()
      try train.context.save()
      try train.context.refreshAllObjects()
      train.context.processPendingChanges()
      train.wagons = []
      #expect(train.context.registeredObjects.isEmpty)
      var head = try train.head()
      #expect(train.walk(from: head) == Self.length)
      head = nil
      #expect(train.context.registeredObjects.isEmpty)
    }
  }

  @Test("a chain that was walked fault by fault goes away with its context")
  func contextDropped() throws {
    try onSmallStack { train in
      train.couple()
      try train.context.save()
      train.wagons = []
      train.context = train.stack.anotherContext()
      let head = try train.head()
      #expect(train.walk(from: head) == Self.length)
      train.context = train.stack.anotherContext()
      #expect(head?.managedObjectContext == nil)
    }
  }

  @Test("a context with a chain of unsaved objects goes away")
  func unsavedContextDropped() throws {
    try onSmallStack { train in
      train.couple()
      let head = train.wagons[0]
      train.wagons = []
      train.context = train.stack.anotherContext()
      #expect(head.managedObjectContext == nil)
    }
  }

  @Test("a chain is refreshed and reset without a deep stack (B46, B115)")
  func refreshing() throws {
    try onSmallStack { train in
      train.couple()
      try train.context.save()
      let head = train.wagons[0]
      train.wagons = []
      try train.context.refresh(head, mergeChanges: false)
      #expect(train.walk(from: head) == Self.length)
      try train.context.refreshAllObjects()
      #expect(train.walk(from: head) == Self.length)
      train.context.reset()
      #expect(head.managedObjectContext == nil)
    }
  }

  @Test("changes all along a chain are rolled back without a deep stack (B114)")
  func rollingBack() throws {
    try onSmallStack { train in
      train.couple()
      try train.context.save()
      for wagon in train.wagons { wagon.number += 1 }
      for wagon in train.wagons { wagon.next = nil }
      train.context.rollback()
      #expect(!train.context.hasChanges)
      #expect(train.walk(from: train.wagons[0]) == Self.length)
      train.context.delete(train.wagons[0])
      train.context.processPendingChanges()
      train.context.rollback()
      #expect(train.context.deletedObjects.isEmpty)
      #expect(train.walk(from: train.wagons[0]) == Self.length)
    }
  }

  @Test("a hundred thousand new objects in one chain are forgotten without a deep stack (B89)")
  func hundredThousand() throws {
    try onSmallStack { train in
      train.couple(max(Self.length, 100_000))
      train.context.delete(train.wagons[0])
      train.context.processPendingChanges()
      #expect(!train.context.hasChanges)
    }
  }

  @Test("a chain of objects that no context knows goes away without a deep stack")
  func withoutContext() throws {
    try onSmallStack { _ in
      let entity = EntityDescription(name: "Bead")
      let next = RelationshipDescription(name: "next", destination: entity, maxCount: 1)
      let others = RelationshipDescription(name: "others", destination: entity, maxCount: 0)
      entity.declaredProperties = [next, others]
      let model = ManagedObjectModel(entities: [entity])
      let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
      try withExtendedLifetime(coordinator) {
        for key in ["next", "others"] {
          var head = ManagedObject(entity: entity, insertInto: nil)
          for _ in 0..<100_000 {
            let bead = ManagedObject(entity: entity, insertInto: nil)
            try bead.setValue(key == "next" ? head : Set([head]), forKey: key)
            head = bead
          }
          #expect(head.managedObjectContext == nil)
        }
      }
    }
  }

  /// Runs a test on a thread with a stack of 512 KB.
  private func onSmallStack(_ body: @escaping @Sendable (Train) throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    let thread = Thread {
      outcome.result = Result { try body(try Train()) }
      done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
    try outcome.result?.get()
    #expect(outcome.result != nil)
  }

  /// The result of a thread.
  private final class Outcome: @unchecked Sendable {
    // Sendable: written before the semaphore is signalled, read after waiting for it.
    var result: Result<Void, any Error>?
  }
}

/// A chain and its Core Data stack.
private final class Train {
  let stack: WagonStack
  var context: ManagedObjectContext
  var wagons: [Wagon] = []

  init() throws {
    stack = try WagonStack()
    context = stack.anotherContext()
  }

  func couple(_ count: Int = DeepGraphTests.length) {
    wagons.reserveCapacity(count)
    for number in 0..<count {
      let wagon = Wagon(context: context)
      wagon.number = Int64(number)
      wagon.previous = wagons.last
      wagons.append(wagon)
    }
  }

  func head() throws -> Wagon? {
    let request = FetchRequest<Wagon>(entityName: "Wagon")
    request.predicate = try FetchPredicate("number == 0")
    return try context.fetch(request).first
  }

  func walk(from head: Wagon?) -> Int {
    var count = 0
    var next = head
    while let wagon = next {
      count += 1
      next = wagon.next
    }
    return count
  }

  func storedCount() throws -> Int {
    try stack.anotherContext().count(for: FetchRequest<Wagon>(entityName: "Wagon"))
  }
}

private struct WagonStack {
  let container: PersistentContainer

  init() throws {
    container = try PersistentContainer(
      name: "train", model: ManagedObjectModel(Wagon.self), stores: [.inMemory()])
    try container.loadPersistentStores()
  }

  func anotherContext() -> ManagedObjectContext {
    ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }
}
