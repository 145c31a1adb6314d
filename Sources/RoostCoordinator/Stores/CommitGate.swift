// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore

/// A fair reader-writer lock for commits: saves of one store share it; a save of several stores, or a copy of the
/// store, holds it exclusively.
///
/// A save of one store only shares the gate: the store itself isolates concurrent saves, and none of them waits here
/// for the disk or network of another. A save of several stores locks the gates of all of them, in the order of the
/// stores, because no commit may come between its conflict check and its last commit. Waiters are admitted in the
/// order of arrival.
final class CommitGate: Sendable {
  private final class Waiter: Sendable {
    let isShared: Bool
    let bell = DispatchSemaphore(value: 0)

    init(isShared: Bool) {
      self.isShared = isShared
    }
  }

  private struct State {
    var sharers = 0
    /// The number of shared holds that have ended.
    var ended = 0
    var isLocked = false
    var waiting: [Waiter] = []

    func admits(shared: Bool) -> Bool { !isLocked && (shared || sharers == 0) }

    mutating func enter(shared: Bool) {
      if shared { sharers += 1 } else { isLocked = true }
    }

    mutating func endSharing() {
      sharers -= 1
      ended &+= 1
    }
  }

  private let state = SharedState(State())

  /// Waits until the gate is free, and locks it exclusively.
  func lock() { enter(shared: false) }

  /// Waits until the gate is free, and locks it exclusively, unless the save is cancelled.
  ///
  /// - Throws: `userCancelled`; then the caller does not hold the gate.
  func lock(_ cancellation: RequestCancellation?) throws {
    try enter(shared: false, cancellation)
  }

  /// Releases the exclusive lock and admits the next waiters.
  func unlock() {
    leave { $0.isLocked = false }
  }

  /// Runs `body` while sharing the gate.
  func sharing<Result>(_ body: () throws -> Result) rethrows -> Result {
    enter(shared: true)
    defer { leave { $0.endSharing() } }
    return try body()
  }

  /// Runs `body` while sharing the gate, unless the save is cancelled before it is admitted.
  ///
  /// - Throws: `userCancelled`, or what `body` throws.
  func sharing<Result>(
    _ cancellation: RequestCancellation?, _ body: () throws -> Result
  ) throws -> Result {
    try enter(shared: true, cancellation)
    defer { leave { $0.endSharing() } }
    return try body()
  }

  /// A number that changes each time a shared hold ends; nil while the gate is shared.
  var shareCount: Int? { state.withLock { $0.sharers == 0 ? $0.ended : nil } }

  /// The number of waiters, for tests.
  var waiterCount: Int { state.withLock { $0.waiting.count } }

  private func enter(shared: Bool) {
    lineUp(shared: shared)?.bell.wait()
  }

  private func enter(shared: Bool, _ cancellation: RequestCancellation?) throws {
    guard let waiter = lineUp(shared: shared) else { return }
    let bell = waiter.bell
    _ = try? cancellation.interrupting({ bell.signal() }) { bell.wait() }
    // The bell was rung by the thread that admitted the waiter, or by the cancellation.
    if withdraw(waiter) { throw RequestCancellation.error }
  }

  /// Enters the gate, or appends a waiter to the queue.
  ///
  /// - Returns: The waiter; nil when the caller has entered.
  private func lineUp(shared: Bool) -> Waiter? {
    state.withLock { state in
      if state.waiting.isEmpty, state.admits(shared: shared) {
        state.enter(shared: shared)
        return nil
      }
      let waiter = Waiter(isShared: shared)
      state.waiting.append(waiter)
      return waiter
    }
  }

  /// Removes a waiter from the queue, and admits the waiters that it alone was blocking.
  ///
  /// - Returns: False when the waiter has already been admitted.
  private func withdraw(_ waiter: Waiter) -> Bool {
    var isInLine = false
    leave { state in
      let place = state.waiting.firstIndex { $0 === waiter }
      isInLine = place != nil
      if let place { state.waiting.remove(at: place) }
    }
    return isInLine
  }

  private func leave(_ change: (inout State) -> Void) {
    let admitted: [Waiter] = state.withLock { state in
      change(&state)
      var admitted: [Waiter] = []
      while let next = state.waiting.first, state.admits(shared: next.isShared) {
        state.enter(shared: next.isShared)
        admitted.append(state.waiting.removeFirst())
      }
      return admitted
    }
    for waiter in admitted { waiter.bell.signal() }
  }
}
