// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostInMemory
import RoostSQLite
import Synchronization
import Testing

@testable import Roost

@Suite("Transactions of a container")
struct TransactionTests {
  let tracker: Tracker
  var container: PersistentContainer { tracker.container }
  struct Refused: Error {}

  init() throws {
    tracker = try Tracker()
    try tracker.seed(2)
  }

  /// Adds a point to the first errand, in a separate context.
  static func addPoint(in container: PersistentContainer) throws {
    let other = container.newBackgroundContext()
    try other.performAndWait {
      let errand = try #require(try other.find(Errand.self, \.number, 0))
      errand.points = (errand.points ?? 0) + 1
      try other.save()
    }
  }

  private func points() throws -> Int32? {
    try tracker.anotherContext().find(Errand.self, \.number, 0)?.points
  }

  @Test("work is saved, and its value returned")
  func saves() throws {
    let number = try container.transaction { context in
      let errand = Errand(context: context)
      errand.number = 7
      return errand.number
    }
    #expect(number == 7)
    #expect(try tracker.context.count(Errand.self) == 3)
  }

  @Test("a save that met another one is done again on what the store has then")
  func conflict() throws {
    var attempts = 0
    try container.transaction { context in
      attempts += 1
      let errand = try #require(try context.find(Errand.self, \.number, 0))
      errand.points = (errand.points ?? 0) + 10
      if attempts < 3 { try Self.addPoint(in: container) }
    }
    #expect(attempts == 3)
    #expect(try points() == 12)
  }

  @Test("when all attempts have failed, the error of the last save is thrown", arguments: [0, 2])
  func exhausted(retries: Int) throws {
    var attempts = 0
    #expect(throws: PersistenceError(.managedObjectMerge, "")) {
      try container.transaction(retries: retries) { context in
        attempts += 1
        try context.find(Errand.self, \.number, 0)?.points = 50
        try Self.addPoint(in: container)
      }
    }
    #expect(attempts == retries + 1)
    #expect(try points() == Int32(retries + 1))
  }

  @Test("an error of the work is thrown at once, and nothing is saved")
  func errorOfWork() throws {
    var attempts = 0
    #expect(throws: Refused.self) {
      try container.transaction { context in
        attempts += 1
        _ = Errand(context: context)
        throw Refused()
      }
    }
    #expect(throws: PersistenceError(.storeBusy, "")) {
      try container.transaction { _ in
        attempts += 1
        throw PersistenceError(.storeBusy, "By the work.")
      }
    }
    #expect(attempts == 2)
    #expect(try tracker.context.count(Errand.self) == 2)
  }

  @Test("an object that another context has inserted is found in the next attempt")
  func foundLater() throws {
    var attempts = 0
    let title = try container.transaction { context in
      attempts += 1
      let errand = try context.findOrCreate(Errand.self, \.number, 9) { $0.title = "here" }
      if attempts == 1 {
        let other = tracker.anotherContext()
        try withExtendedLifetime(other) {
          _ = try other.findOrCreate(Errand.self, \.number, 9) { $0.title = "there" }
          try other.save()
        }
      }
      return errand.title
    }
    #expect(attempts == 2 && title == "there")
  }

  @Test("work that wants the value of one record again and again gets the conflict")
  func stubborn() throws {
    var attempts = 0
    #expect(throws: PersistenceError(.managedObjectConstraintMerge, "")) {
      try container.transaction(retries: 10) { context in
        attempts += 1
        Errand(context: context).number = 1
      }
    }
    #expect(attempts == 2)
  }

  @Test("work that has saved by itself is not done again")
  func savedBefore() throws {
    var attempts = 0
    #expect(throws: PersistenceError(.managedObjectMerge, "")) {
      try container.transaction { context in
        attempts += 1
        let errand = try #require(try context.find(Errand.self, \.number, 0))
        errand.points = 5
        try context.save()
        try Self.addPoint(in: container)
        errand.points = 6
      }
    }
    #expect(attempts == 1)
  }

  @Test("an invalid object is an error that no other attempt mends")
  func invalid() throws {
    let stack = try Stack()
    var attempts = 0
    #expect(throws: PersistenceError(.validationNumberTooLarge, "")) {
      try stack.container.transaction { context in
        attempts += 1
        Employee(context: context).age = 1000
      }
    }
    #expect(attempts == 1)
  }

  @Test("the forms for tasks try again, too")
  func tasks() async throws {
    let attempts = Mutex(0)
    let container = container
    try await container.transaction { context in
      let attempt = attempts.withLock { attempts -> Int in
        attempts += 1
        return attempts
      }
      try context.find(Errand.self, \.number, 0)?.points = 10
      if attempt == 1 { try Self.addPoint(in: container) }
    }
    #expect(attempts.withLock { $0 } == 2)
    #expect(try points() == 10)
    let value = try await container.transaction { context async throws in
      await Task.yield()
      let attempt = attempts.withLock { attempts -> Int in
        attempts += 1
        return attempts
      }
      let errand = try #require(try context.find(Errand.self, \.number, 0))
      errand.points = (errand.points ?? 0) + 10
      if attempt == 3 { try Self.addPoint(in: container) }
      return errand.points
    }
    #expect(attempts.withLock { $0 } == 4 && value == 21)
    await #expect(throws: Refused.self) {
      try await container.transaction { _ async throws in
        await Task.yield()
        throw Refused()
      }
    }
  }

  @Test("many writers of one record all get their turn")
  func writers() async throws {
    let container = container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await container.transaction(retries: 1000) { context in
            let errand = try context.findOrCreate(Errand.self, \.number, 0)
            errand.points = (errand.points ?? 0) + 1
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try points() == 8)
  }

  @Test("a context for a body that waits is the body's alone, and saves what the body saves")
  func backgroundContext() async throws {
    let count = try await container.withBackgroundContext { context in
      Errand(context: context).number = 5
      await Task.yield()
      try context.save()
      Errand(context: context).number = 6
      return try context.count(Errand.self)
    }
    #expect(count == 4)
    #expect(try tracker.anotherContext().count(Errand.self) == 3)
  }
}

@Suite("Reading one snapshot")
struct SnapshotReadTests {
  @Test("reads see one state, whatever is saved meanwhile, and nothing is saved")
  func snapshot() throws {
    let tracker = try Tracker()
    try tracker.seed(2)
    let counts = try tracker.container.read { context in
      let before = try context.count(Errand.self)
      let other = tracker.anotherContext()
      try withExtendedLifetime(other) {
        Errand(context: other).number = 9
        try other.save()
      }
      Errand(context: context).number = 10
      return [before, try context.count(for: FetchRequest<[String: Any]>(entityName: "Errand"))]
    }
    #expect(counts == [2, 2])
    #expect(try tracker.context.count(Errand.self) == 3)
  }

  @Test("a task reads one state without blocking a thread")
  func tasks() async throws {
    let tracker = try Tracker()
    try tracker.seed(2)
    let container = tracker.container
    let count = try await container.read { context in
      try container.transaction { Errand(context: $0).number = 9 }
      return try context.count(Errand.self)
    }
    // The context reads the snapshot of its first read.
    #expect(count == 3)
    #expect(try await container.read { try $0.count(Errand.self) } == 3)
  }

  @Test("a store that holds no snapshots is an error, unless it may be read as it is")
  func withoutSnapshots() throws {
    let tracker = try Tracker([.sqlite(at: "/dev/null")])
    try tracker.seed(2)
    guard tracker.container.persistentStoreCoordinator.persistentStores[0].snapshots == nil else {
      return
    }
    var isCalled = false
    let code = code { try tracker.container.read { _ in isCalled = true } }
    #expect(code == .persistentStoreUnsupportedRequestType && !isCalled)
    let count = try tracker.container.read(.snapshotWherePossible) { try $0.count(Errand.self) }
    #expect(count == 2)
  }
}

@Suite("Whether a transaction is tried again")
struct TransactionRetryTests {
  private func delays(_ retry: TransactionRetry, _ codes: [PersistenceError.Code]) -> [Bool] {
    var retry = retry
    var generator = SystemRandomNumberGenerator()
    return codes.map { code in
      let failure = TransactionFailure(error: PersistenceError(code, ""))
      return retry.delay(after: failure, using: &generator) != nil
    }
  }

  @Test("what others did at the time is no reason to give up, everything else is")
  func codes() {
    let helped: [PersistenceError.Code] = [
      .managedObjectMerge, .storeBusy, .persistentStoreTimeout,
    ]
    let hopeless: [PersistenceError.Code] = [
      .managedObjectConstraintMerge, .commitOutcomeUnknown, .persistentStoreIncompleteSave,
      .validationMultipleErrors, .userCancelled, .readFailed, .storeFull,
    ]
    #expect(!delays(TransactionRetry(limit: 10), helped).contains(false))
    #expect(!delays(TransactionRetry(limit: 10), hopeless).contains(true))
    #expect(delays(TransactionRetry(limit: 1), helped) == [true, false, false])
    var generator = SystemRandomNumberGenerator()
    var retry = TransactionRetry(limit: 10)
    var failure = TransactionFailure(
      error: PersistenceError(
        .readFailed, "", underlyingErrors: [PersistenceError(.storeBusy, "")]))
    #expect(retry.delay(after: failure, using: &generator) != nil)
    failure.savedBefore = true
    #expect(retry.delay(after: failure, using: &generator) == nil)
    let foreign = TransactionFailure(error: CocoaError(.fileNoSuchFile))
    #expect(retry.delay(after: foreign, using: &generator) == nil)
  }

  @Test("the time between two attempts doubles up to a second, less a random part of a half")
  func backOff() throws {
    var generator = SystemRandomNumberGenerator()
    var retry = TransactionRetry(limit: 40)
    let failure = TransactionFailure(error: PersistenceError(.storeBusy, ""))
    var bound = 0.005
    for _ in 0..<40 {
      let delay = try #require(retry.delay(after: failure, using: &generator)) / .seconds(1)
      #expect(delay >= bound / 2 - 1e-9 && delay <= bound + 1e-9)
      bound = min(bound * 2, 1)
    }
    #expect(retry.delay(after: failure, using: &generator) == nil)
  }
}
