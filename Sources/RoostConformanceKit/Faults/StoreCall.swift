// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import Synchronization

/// What can be asked of a store, as far as a fault may be put there.
package enum StoreCall: String, Sendable, Hashable, CaseIterable {
  case fetch, rows, destinations, reserve, commit
  /// Opening the store, or making it.
  case open
  /// What a store has found, before it is handed on.
  case found
  /// What a store says of a commit that took place: it never arrives.
  case answer
  /// Preparing a part of a save over several stores, and deciding about one: each is a commit, too.
  case prepare, decide
  /// Finishing a prepared part, before it reaches the store.
  case finish
  /// Asking for the decision on a save.
  case decision
  /// Asking for the parts that are prepared.
  case pending
  /// Taking a snapshot.
  case snapshot
  /// What a decider is told of coordinators, and of saves that others have finished.
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
    /// How many calls get through before that; nil for all.
    var callsLeft: Int?
    /// Whether a failing read is answered with nothing instead of an error: a store that lies.
    var liesOnFailure = false
    /// Whether the store can prepare nothing, as a server that is set up so.
    var preparesNothing = false
  }

  private let state = Mutex(State())

  package init() {}

  /// The error that a failing call throws.
  package static let error = PersistenceError(
    .persistentStoreOperation, "The call fails because the case wants it to.")

  /// The error when an answer is lost.
  package static let lostAnswer = PersistenceError(
    .commitOutcomeUnknown, "The answer is lost because the case wants it to be.")

  /// Lets a call fail before it reaches the store.
  ///
  /// - Parameter number: Which one, counted from 1.
  package func fail(_ call: StoreCall, number: Int = 1) {
    state.withLock { $0.countdown[call] = number }
  }

  /// Lets the n-th read from now on fail, of whatever kind it is.
  ///
  /// - Parameters:
  ///   - number: Which one, counted from 1; 0 only counts.
  ///   - lying: Whether the store answers with nothing instead of throwing.
  package func failRead(number: Int, lying: Bool = false) {
    state.withLock { state in
      state.reads = 0
      state.failingRead = number
      state.liesOnFailure = lying
    }
  }

  /// How many reads there were since ``failRead(number:lying:)``.
  package var reads: Int { state.withLock { $0.reads } }

  /// Lets a read through, or not.
  ///
  /// - Returns: False when the read is to be answered with nothing.
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

  /// Does something in the middle of the next call, on its thread.
  package func interrupt(_ call: StoreCall, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.interruptions[call] = body }
  }

  /// Does something in the middle of every commit from now on, on its thread; nil ends it.
  package func onCommit(_ body: (@Sendable () -> Void)?) {
    state.withLock { $0.onCommit = body }
  }

  /// Lets every call fail from now on, until ``clear()``, as those of a server that cannot be reached.
  package func cutOff() { state.withLock { $0.isUnreachable = true } }

  /// Lets some more calls through, and then every call fail until ``clear()``, as those of a process that is dead.
  ///
  /// - Parameter calls: How many calls get through.
  package func cutOff(after calls: Int) { state.withLock { $0.callsLeft = calls } }

  /// Lets all calls through.
  package func clear() {
    state.withLock { state in
      state.countdown = [:]
      state.isUnreachable = false
      state.callsLeft = nil
      state.failingRead = 0
    }
  }

  /// Lets the store say that it can prepare nothing.
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
      if state.isUnreachable {
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
