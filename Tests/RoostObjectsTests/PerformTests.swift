// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Roost
import Synchronization
import Testing

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
      // What the other context cannot see yet, it does not see.
      try other.performAndWait {
        counts.append(try count())
        // Back on the first one's queue, which waits for the other's.
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
    // The test is about what the compiler cannot see in code that was written for Core Data.
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
}
