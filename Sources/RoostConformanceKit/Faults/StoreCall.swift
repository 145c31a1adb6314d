// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore
import Synchronization

/// A store call in which a fault can be injected.
package enum StoreCall: String, Sendable, Hashable, CaseIterable {
  case fetch, rows, destinations, reserve, commit
  /// Opening or creating the store.
  case open
  /// A read, after the store has found the rows and before it returns them.
  case found
  /// The result of a commit that took place: it is lost on its way.
  case answer
  /// Preparing a part of a save over several stores, and deciding such a save: each counts as a commit, too.
  case prepare, decide
  /// Finishing a prepared part, before it reaches the store.
  case finish
  /// Asking for the decision on a save.
  case decision
  /// Asking for the parts that are prepared.
  case pending
  /// Taking a snapshot.
  case snapshot
  /// Registering coordinators with a decider, and forgetting decisions that were acknowledged.
  case register
}

/// Decides which call of a store fails: the n-th from now on.
package final class FaultSwitch: Sendable {
  private struct State {
    var countdown: [StoreCall: Int] = [:]
    var fired = 0
    var interruptions: [StoreCall: @Sendable () -> Void] = [:]
    var onCommit: (@Sendable () -> Void)?
    /// The reads since counting began.
    var reads = 0
    /// Which read fails; 0 for none.
    var failingRead = 0
    /// Whether every call fails, as that of a server that cannot be reached.
    var isUnreachable = false
    /// The calls of which each one fails.
    var failing: Set<StoreCall> = []
    /// How many more calls get through before `isUnreachable` is set; nil for no limit.
    var callsLeft: Int?
    /// Whether a failing read returns an empty result instead of throwing an error.
    var liesOnFailure = false
    /// Whether the store reports that it cannot prepare, like a server without prepared transactions.
    var preparesNothing = false
    /// The saves whose parts can never be written.
    var damaged: Set<SaveID> = []
  }

  private let state = Mutex(State())

  package init() {}

  /// The error that a failing call throws.
  package static let error = PersistenceError(
    .persistentStoreOperation, "The call fails because the case wants it to.")

  /// The error when an answer is lost.
  package static let lostAnswer = PersistenceError(
    .commitOutcomeUnknown, "The answer is lost because the case wants it to be.")

  /// Makes a call fail before it reaches the store.
  ///
  /// - Parameter number: Which call of this kind, counted from 1.
  package func fail(_ call: StoreCall, number: Int = 1) {
    state.withLock { $0.countdown[call] = number }
  }

  /// Makes it impossible to write the store's part of a save: it is damaged.
  package func damage(_ save: SaveID) {
    state.withLock { _ = $0.damaged.insert(save) }
  }

  func requireUndamaged(_ save: SaveID) throws {
    guard state.withLock({ $0.damaged.contains(save) }) else { return }
    throw PersistenceError(.corruptStore, "The part is damaged because the case wants it to be.")
  }

  /// Makes the n-th read from now on fail, of whatever kind it is.
  ///
  /// - Parameters:
  ///   - number: Which read, counted from 1; 0 only counts reads.
  ///   - lying: Whether the store returns an empty result instead of throwing.
  package func failRead(number: Int, lying: Bool = false) {
    state.withLock { state in
      state.reads = 0
      state.failingRead = number
      state.liesOnFailure = lying
    }
  }

  /// The number of reads since ``failRead(number:lying:)``.
  package var reads: Int { state.withLock { $0.reads } }

  /// Counts a read, and makes it fail if its turn has come.
  ///
  /// - Returns: False when the read is to return an empty result.
  func passRead(_ call: StoreCall) throws -> Bool {
    try pass(call)
    let (fails, lies) = state.withLock { state in
      state.reads += 1
      guard state.reads == state.failingRead else { return (false, false) }
      state.fired += 1
      return (true, state.liesOnFailure)
    }
    guard fails else { return true }
    guard lies else { throw Self.error }
    return false
  }

  /// Runs `body` during the next such call, on the calling thread.
  package func interrupt(_ call: StoreCall, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.interruptions[call] = body }
  }

  /// Runs `body` during every commit from now on, on the calling thread; nil ends it.
  package func onCommit(_ body: (@Sendable () -> Void)?) {
    state.withLock { $0.onCommit = body }
  }

  /// Makes every call fail from now on, until ``clear()``, like calls to an unreachable server.
  package func cutOff() { state.withLock { $0.isUnreachable = true } }

  /// Makes every call of some kinds fail from now on, until ``clear()``.
  package func cutOff(_ calls: Set<StoreCall>) { state.withLock { $0.failing = calls } }

  /// Lets some more calls through, and then makes every call fail until ``clear()``, like those of a dead process.
  ///
  /// - Parameter calls: How many calls get through.
  package func cutOff(after calls: Int) { state.withLock { $0.callsLeft = calls } }

  /// Lets all calls through.
  package func clear() {
    state.withLock { state in
      state.countdown = [:]
      state.failing = []
      state.isUnreachable = false
      state.callsLeft = nil
      state.failingRead = 0
    }
  }

  /// Makes the store report that it cannot prepare.
  package func prepareNothing() { state.withLock { $0.preparesNothing = true } }

  var preparesNothing: Bool { state.withLock { $0.preparesNothing } }

  /// How many calls failed.
  package var fired: Int { state.withLock { $0.fired } }

  package func pass(_ call: StoreCall) throws {
    state.withLock { $0.interruptions.removeValue(forKey: call) }?()
    if call == .commit { state.withLock { $0.onCommit }?() }
    let fails = state.withLock { state in
      if let left = state.callsLeft {
        state.callsLeft = left > 0 ? left - 1 : nil
        if left == 0 { state.isUnreachable = true }
      }
      if state.isUnreachable || state.failing.contains(call) {
        state.fired += 1
        return true
      }
      guard let left = state.countdown[call] else { return false }
      state.countdown[call] = left > 1 ? left - 1 : nil
      if left == 1 { state.fired += 1 }
      return left == 1
    }
    if fails { throw call == .answer ? Self.lostAnswer : Self.error }
  }
}
