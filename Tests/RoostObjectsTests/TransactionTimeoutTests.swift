// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

@testable import Roost

@Suite("The time of a transaction")
struct TransactionTimeoutTests {
  private let tracker: Tracker
  private var container: PersistentContainer { tracker.container }

  init() throws {
    tracker = try Tracker()
    try tracker.seed(2)
  }

  @Test("a transaction without time left throws persistentStoreTimeout, and nothing is saved")
  func timeout() async throws {
    var attempts = 0
    #expect(throws: PersistenceError(.persistentStoreTimeout, "")) {
      try container.transaction(timeout: .zero) { context in
        attempts += 1
        Errand(context: context).number = 7
      }
    }
    #expect(attempts == 1)
    await #expect(throws: PersistenceError(.persistentStoreTimeout, "")) {
      try await container.transaction(timeout: .seconds(-1)) { context in
        _ = try context.find(Errand.self, \.number, 0)
      }
    }
    await #expect(throws: PersistenceError(.persistentStoreTimeout, "")) {
      try await container.transaction(timeout: .zero) { context in
        await Task.yield()
        Errand(context: context).number = 7
      }
    }
    #expect(try tracker.context.count(Errand.self) == 2)
    try await container.transaction(timeout: .seconds(3_600)) { context in
      #expect(context.deadline != nil)
      Errand(context: context).number = 7
    }
    #expect(try tracker.context.count(Errand.self) == 3)
  }

  @Test("no attempt begins after the time of the transaction")
  func retryDeadline() {
    let failure = TransactionFailure(error: PersistenceError(.storeBusy, ""))
    var generator = SystemRandomNumberGenerator()
    var retry = TransactionRetry(limit: 10, deadline: .now)
    #expect(retry.delay(after: failure, using: &generator) == nil)
    #expect(retry.count == 0)
    retry = TransactionRetry(limit: 10, deadline: .now + .seconds(3_600))
    #expect(retry.delay(after: failure, using: &generator) != nil)
    #expect(retry.count == 1)
  }
}
