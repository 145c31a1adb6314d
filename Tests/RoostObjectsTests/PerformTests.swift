// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Roost
import Synchronization
import Testing

/// The number of blocks that have begun.
private final class BegunCount: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  func increment() { count.withLock { $0 += 1 } }
}

@Suite struct PerformTests {
  @Test("closures run later, one after another in the order of the calls (B222)")
  func order() throws {
    let context = try Stack().context
    let seen = Mutex<[Int]>([])
    context.performAndWait {
      for index in 0..<10 { context.perform { seen.withLock { $0.append(index) } } }
      // A closure that waits for nothing on the queue runs at once (B223).
      context.performAndWait { seen.withLock { $0.append(-1) } }
    }
    context.performAndWait { seen.withLock { $0.append(10) } }
    #expect(seen.withLock { $0 } == [-1] + Array(0...10))
  }

  @Test("perform ends the event, performAndWait does not (B97, B222, B223)")
  func events() throws {
    let stack = try Stack()
    let context = stack.context
    let team = Team(context: context)
    try context.save()
    team.title = "Gold"
    context.performAndWait { team.title = "Silver" }
    #expect(team.changedValuesForCurrentEvent().keys.sorted() == ["title"])
    context.perform { team.title = "Bronze" }
    context.performAndWait {}
    #expect(team.changedValuesForCurrentEvent().isEmpty)
    #expect(team.title == "Bronze")
  }

  @Test("values and errors reach the caller, with and without waiting (B225)")
  func results() async throws {
    let context = try Stack().context
    #expect(context.performAndWait { 7 } == 7)
    #expect(await context.perform { 8 } == 8)
    #expect(await context.perform(schedule: .enqueued) { 9 } == 9)
    await #expect(throws: PersistenceError.self) {
      try await context.perform { throw PersistenceError(.storeFull, "Full.") }
    }
    #expect(throws: PersistenceError.self) {
      try context.performAndWait { throw PersistenceError(.storeFull, "Full.") }
    }
  }

  @Test("on the queue, .immediate runs at once and .enqueued waits for its turn (B224)")
  @MainActor func schedules() async throws {
    let coordinator = try Stack().container.persistentStoreCoordinator
    let context = ManagedObjectContext(.mainQueue, coordinator: coordinator)
    let seen = Mutex<[String]>([])
    func queue() { context.perform { seen.withLock { $0.append("queued before") } } }
    queue()
    await context.perform { seen.withLock { $0.append("immediate") } }
    await context.perform(schedule: .enqueued) { seen.withLock { $0.append("enqueued") } }
    #expect(seen.withLock { $0 } == ["immediate", "queued before", "enqueued"])
  }

  @Test("asynchronous work ends its event, and changes are there afterwards (B222, B224)")
  func asynchronousEvent() async throws {
    let context = try Stack().context
    let team = await context.perform {
      let team = Team(context: context)
      team.title = "Gold"
      return team
    }
    #expect(context.insertedObjects == [team])
    #expect(team.changedValuesForCurrentEvent().isEmpty)
  }

  @Test("with the debug switch, use outside of the queue ends the program (B221)")
  func violation() async throws {
    await #expect(processExitsWith: .failure) {
      ManagedObjectContext.detectsQueueViolations = true
      let context = try Stack().context
      context.performAndWait { _ = Team(context: context) }
      _ = try? context.fetch(Team.fetchRequest())
    }
    await #expect(processExitsWith: .failure) {
      ManagedObjectContext.detectsQueueViolations = true
      let context = try Stack().context
      let team = context.performAndWait { Team(context: context) }
      team.title = "Gold"
    }
    await #expect(processExitsWith: .success) {
      ManagedObjectContext.detectsQueueViolations = true
      let context = try Stack().context
      _ = try context.fetch(Team.fetchRequest())
      try context.performAndWait {
        Team(context: context).title = "Gold"
        try context.save()
      }
    }
  }

  @Test("a request that executes itself asks the context whose queue it is on (B139)")
  func executing() async throws {
    let stack = try Stack()
    let (context, other) = (stack.context, stack.anotherContext())
    func count() throws -> Int { try Employee.fetchRequest().execute().count }
    try context.performAndWait {
      for name in ["ada", "bob"] { Employee(context: context).name = name }
      var counts = [try count()]
      // The other context does not see the unsaved objects.
      try other.performAndWait {
        counts.append(try count())
        // Back on the first context's queue, which waits for the other one's.
        try context.performAndWait {
          counts.append(try FetchRequest<ObjectID>(entityName: "Employee").execute().count)
        }
        counts.append(try count())
      }
      #expect(counts == [2, 0, 2, 0])
      try context.save()
      let columns = try FetchRequest<[String: Any]>(entityName: "Employee").execute()
      #expect(columns.count == 2)
    }
    #expect(try await other.perform { try Employee.fetchRequest().execute().count } == 2)
    #expect(
      try await stack.container.performBackgroundTask { _ in
        try Employee.fetchRequest().execute().count
      } == 2)
    #expect(code { _ = try Employee.fetchRequest().execute() } == .invalidRequest)
  }

  @Test("names, authors and merge policies may be set from any thread (B227)")
  func settings() throws {
    let context = try Stack().context
    // The test is about races that the compiler cannot detect in code that was written for Core Data.
    nonisolated(unsafe) let shared = context
    DispatchQueue.concurrentPerform(iterations: 400) { index in
      shared.name = "name \(index)"
      shared.transactionAuthor = "author \(index)"
      shared.mergePolicy = MergePolicy(merge: .overwriteMergePolicyType)
      shared.userInfo["n\(index % 7)"] = index
      _ = (shared.name, shared.transactionAuthor, shared.mergePolicy, shared.userInfo)
    }
    #expect(context.name?.hasPrefix("name ") == true)
    #expect(context.transactionAuthor?.hasPrefix("author ") == true)
    #expect(context.mergePolicy.mergeType == .overwriteMergePolicyType)
  }

  @Test("what the documents call settable from any thread may be set while the queue works (B356)")
  func switches() throws {
    let context = try Stack().context
    // The test is about races that the compiler cannot detect in code that was written for Core Data.
    nonisolated(unsafe) let shared = context
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for round in 0..<60 {
        guard thread > 0 else {
          shared.performAndWait {
            for _ in 0..<20 { Team(context: shared).title = "t" }
            try? shared.save()
            _ = try? shared.fetch(Team.fetchRequest()).count
            shared.reset()
          }
          continue
        }
        shared.retainsRegisteredObjects.toggle()
        shared.undoManager = round.isMultiple(of: 2) ? ChangeUndoManager() : nil
        shared.stalenessInterval = Double(round % 3 - 1)
        shared.propagatesDeletesAtEndOfEvent.toggle()
        shared.shouldDeleteInaccessibleFaults.toggle()
        shared.shouldHandleInaccessibleFault = { _, _ in true }
        shared.batchesFaults.toggle()
        shared.allowsInMemoryEvaluation = true
        shared.automaticallyMergesChangesFromParent.toggle()
        shared.onReadError = { _ in }
        shared.readErrorPolicy = .deferred
        shared.mergePolicy = .overwrite
        shared.name = "\(round)"
        _ = (shared.undoManager, shared.stalenessInterval, shared.retainsRegisteredObjects)
      }
    }
    context.undoManager = ChangeUndoManager()
    Team(context: context).title = "undone"
    context.undo()
    #expect(!context.hasChanges)
    context.retainsRegisteredObjects = true
    let id = Team(context: context).objectID
    #expect(context.registeredObject(for: id) != nil)
  }

  @Test(
    "work in the background waits on the context's queue, not on a thread of Swift's tasks (B224)")
  func cooperativeThreads() async throws {
    let container = try Stack().container
    let actor = ContextActor(coordinator: container.persistentStoreCoordinator)
    let count = ProcessInfo.processInfo.activeProcessorCount + 2
    let begun = BegunCount()
    let latch = DispatchSemaphore(value: 0)
    // Each block waits until an unrelated task has run, which it can only do on a thread that none of them holds.
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<count {
        group.addTask {
          try await container.performBackgroundTask { context in
            begun.increment()
            _ = try context.count(for: Team.fetchRequest())
            return latch.wait(timeout: .now() + 60) == .success
          }
        }
        guard index == 0 else { continue }
        group.addTask {
          try await actor.perform { context in
            _ = try context.count(for: Team.fetchRequest())
            return latch.wait(timeout: .now() + 60) == .success
          }
        }
      }
      group.addTask {
        for _ in 0...count { latch.signal() }
        return true
      }
      for try await isReleased in group { #expect(isReleased) }
    }
    #expect(begun.value == count)
  }

  @Test("work that waits for other tasks runs on a context of its own (B224)")
  func asynchronousBodies() async throws {
    let stack = try Stack()
    let names = try await stack.container.performBackgroundTask { context in
      for name in try await Self.download() { Employee(context: context).name = name }
      try context.save()
      return try context.fetch(Employee.fetchRequest()).map(\.name).sorted()
    }
    #expect(names == ["ada", "bob"])
    let actor = ContextActor(coordinator: stack.container.persistentStoreCoordinator)
    let count = try await actor.perform { context in
      for name in try await Self.download() { Employee(context: context).name = name }
      // Back on the queue, where nothing has to wait for it.
      return try context.performAndWait { try context.fetch(Employee.fetchRequest()).count }
    }
    #expect(count == 4)
    await #expect(throws: PersistenceError.self) {
      try await stack.container.performBackgroundTask { _ in
        _ = try await Self.download()
        throw PersistenceError(.storeFull, "Full.")
      }
    }
  }

  private static func download() async throws -> [String] {
    await Task.yield()
    return ["ada", "bob"]
  }

  @Test(
    "a context that has used its queue merges there without being touched (B345)",
    arguments: ["before", "after", "perform"])
  func untouchedMerging(_ order: String) async throws {
    let stack = try Stack()
    let context = stack.anotherContext()
    if order == "before" { context.automaticallyMergesChangesFromParent = true }
    if order == "perform" { await context.perform {} }
    context.performAndWait {}
    if order != "before" { context.automaticallyMergesChangesFromParent = true }
    let merged = DispatchSemaphore(value: 0)
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didMergeChangesObjectIDsNotification, object: context,
      queue: nil
    ) { _ in merged.signal() }
    Team(context: stack.context).title = "Gold"
    try stack.context.save()
    // The timeout is for a context that never merges.
    #expect(merged.wait(timeout: .now() + 60) == .success)
    NotificationCenter.default.removeObserver(observer)
    context.performAndWait {}
  }

  @Test("with the policy trap, a failed read ends the program (B361)")
  func trappingReads() async throws {
    await #expect(processExitsWith: .failure) {
      let stack = try Stack()
      let id = try stack.seed(1)[0]
      stack.context.readErrorPolicy = .trap
      stack.context.allowsImplicitRoundTrips = false
      stack.context.stalenessInterval = 0
      _ = stack.context.object(with: id)["name"]
    }
  }
}
