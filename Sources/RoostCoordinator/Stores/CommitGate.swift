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
    var isLocked = false
    var waiting: [Waiter] = []

    func admits(shared: Bool) -> Bool { !isLocked && (shared || sharers == 0) }

    mutating func enter(shared: Bool) {
      if shared { sharers += 1 } else { isLocked = true }
    }
  }

  private let state = SharedState(State())

  /// Waits until nobody else is inside.
  func lock() { enter(shared: false) }

  /// Lets the next ones in.
  func unlock() {
    leave { $0.isLocked = false }
  }

  /// Runs `body` together with others that share the gate.
  func sharing<Result>(_ body: () throws -> Result) rethrows -> Result {
    enter(shared: true)
    defer { leave { $0.sharers -= 1 } }
    return try body()
  }

  /// How many wait, for tests.
  var waiterCount: Int { state.withLock { $0.waiting.count } }

  private func enter(shared: Bool) {
    let waiter: Waiter? = state.withLock { state in
      if state.waiting.isEmpty, state.admits(shared: shared) {
        state.enter(shared: shared)
        return nil
      }
      let waiter = Waiter(isShared: shared)
      state.waiting.append(waiter)
      return waiter
    }
    waiter?.bell.wait()
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
