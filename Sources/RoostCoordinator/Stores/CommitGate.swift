// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore

/// Lets the saves of one store run side by side, and a save of several stores, or a copy of the store, run alone.
///
/// Who saves to one store only shares the gate: the store itself keeps saves apart, and none of them waits here for
/// another one's disk or network. A save of several stores closes the gates of all of them, in the order of the stores,
/// because nobody may come between the look for conflicts and the last commit. Who comes first goes first.
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
    /// How many have shared it and gone.
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

  /// Waits until nobody else is inside.
  func lock() { enter(shared: false) }

  /// Waits until nobody else is inside, or the save was cancelled.
  ///
  /// - Throws: `userCancelled`; then the caller is not inside.
  func lock(_ cancellation: RequestCancellation?) throws {
    try enter(shared: false, cancellation)
  }

  /// Lets the next ones in.
  func unlock() {
    leave { $0.isLocked = false }
  }

  /// Runs `body` together with others that share the gate.
  func sharing<Result>(_ body: () throws -> Result) rethrows -> Result {
    enter(shared: true)
    defer { leave { $0.endSharing() } }
    return try body()
  }

  /// Runs `body` together with others that share the gate, unless the save is cancelled before its turn comes.
  ///
  /// - Throws: `userCancelled`, or what `body` throws.
  func sharing<Result>(
    _ cancellation: RequestCancellation?, _ body: () throws -> Result
  ) throws -> Result {
    try enter(shared: true, cancellation)
    defer { leave { $0.endSharing() } }
    return try body()
  }

  /// A number that is another one after anybody has shared the gate; nil while it is shared.
  var shareCount: Int? { state.withLock { $0.sharers == 0 ? $0.ended : nil } }

  /// How many wait, for tests.
  var waiterCount: Int { state.withLock { $0.waiting.count } }

  private func enter(shared: Bool) {
    lineUp(shared: shared)?.bell.wait()
  }

  private func enter(shared: Bool, _ cancellation: RequestCancellation?) throws {
    guard let waiter = lineUp(shared: shared) else { return }
    let bell = waiter.bell
    _ = try? cancellation.interrupting({ bell.signal() }) { bell.wait() }
    // The bell was rung by the one who let the waiter in, or by the one who cancels.
    if withdraw(waiter) { throw RequestCancellation.error }
  }

  /// Goes in, or gets in line.
  ///
  /// - Returns: Who waits; nil when the caller is inside.
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

  /// Takes a waiter out of the line, and lets those in whom only it has kept waiting.
  ///
  /// - Returns: False when it is inside by now.
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
