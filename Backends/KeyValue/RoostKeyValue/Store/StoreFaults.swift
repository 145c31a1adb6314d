// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import Synchronization

/// Makes the calls of a store fail on purpose, so that a test sees what the layers above do then.
///
/// ```swift
/// let faults = StoreFaults()
/// try StoreFaults.$current.withValue(faults) { try container.loadPersistentStores() }
/// faults.failCall(3)                  // the third call from now on throws
/// faults.failCall(1, of: .commit)     // the next commit throws, and writes nothing
/// ```
package final class StoreFaults: Sendable {
  /// What a call does.
  package enum Operation: Sendable, Hashable, CaseIterable {
    case prepare, fetch, rows, destinations, reserve, commit
  }

  private struct Plan {
    var operation: Operation?
    var callsLeft: Int
    var error: PersistenceError
  }

  private struct State {
    var plans: [Plan] = []
    var callCount = 0
  }

  /// What the stores that are opened in a task obey; nil in programs.
  @TaskLocal package static var current: StoreFaults?

  private let state = Mutex(State())

  package init() {}

  /// How many calls there were.
  package var callCount: Int { state.withLock { $0.callCount } }

  /// Lets one call fail, before it does anything.
  ///
  /// - Parameters:
  ///   - number: Which one, counted from now on; the next is 1.
  ///   - operation: What to count; nil for every call.
  ///   - error: What is thrown.
  package func failCall(
    _ number: Int, of operation: Operation? = nil,
    with error: PersistenceError = PersistenceError(
      .persistentStoreOperation, "The call fails on purpose.")
  ) {
    precondition(number > 0, "calls are counted from 1")
    state.withLock {
      $0.plans.append(Plan(operation: operation, callsLeft: number, error: error))
    }
  }

  /// Forgets the failures that did not happen yet.
  package func clear() {
    state.withLock { $0.plans = [] }
  }

  /// Counts a call, and throws when it is to fail.
  func willCall(_ operation: Operation) throws {
    try state.withLock { state in
      state.callCount += 1
      var failure: PersistenceError?
      for index in state.plans.indices
      where state.plans[index].operation == nil || state.plans[index].operation == operation {
        state.plans[index].callsLeft -= 1
        if state.plans[index].callsLeft == 0 { failure = state.plans[index].error }
      }
      state.plans.removeAll { $0.callsLeft == 0 }
      if let failure { throw failure }
    }
  }
}
