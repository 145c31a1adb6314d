// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore
import Synchronization

/// Coalesces change hints into polls: any number of hints within a short time cause one poll, and a write that a hint
/// announces is polled for a few times more.
final class HintDebouncer: Sendable {
  /// The minimum time between two polls, in milliseconds.
  static let pause = 10
  /// The delays of the follow-up polls for a write that was not yet visible, in milliseconds.
  static let followUps = [4, 16, 64]

  private struct State {
    var look: (@Sendable () -> Void)?
    /// The number of the scheduled poll; scheduling another one makes it void.
    var plan = 0
    /// Whether the scheduled poll answers a hint, as opposed to a follow-up poll.
    var isHinted = false
    var left: ArraySlice<Int> = []
    var earliest = DispatchTime(uptimeNanoseconds: 0)
    var hintCount = 0
    var lookCount = 0
  }

  private let queue: DispatchQueue
  private let state = Mutex(State())

  /// Makes an instance whose polls run on a queue.
  init(on queue: DispatchQueue) {
    self.queue = queue
  }

  /// Sets the poll callback.
  func begin(_ look: @escaping @Sendable () -> Void) {
    state.withLock { $0.look = look }
  }

  /// The number of hints received and of polls made.
  var counts: (hints: Int, looks: Int) { state.withLock { ($0.hintCount, $0.lookCount) } }

  /// Receives a hint; the poll follows soon, asynchronously.
  func take(_ hint: StoreChangeHint) {
    let plan: (number: Int, time: DispatchTime)? = state.withLock { state in
      state.hintCount += 1
      if hint == .beingWritten { state.left = Self.followUps[...] }
      guard !state.isHinted else { return nil }
      state.isHinted = true
      state.plan += 1
      return (state.plan, max(.now(), state.earliest))
    }
    if let plan { queue.asyncAfter(deadline: plan.time) { self.run(plan.number) } }
  }

  private func run(_ number: Int) {
    let look = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.plan == number else { return nil }
      state.isHinted = false
      state.lookCount += 1
      state.earliest = .now() + .milliseconds(Self.pause)
      return state.look
    }
    guard let look else { return }
    look()
    let next: (number: Int, delay: Int)? = state.withLock { state in
      // A hint that came meanwhile schedules a poll of its own.
      guard !state.isHinted, let delay = state.left.popFirst() else { return nil }
      state.plan += 1
      return (state.plan, delay)
    }
    guard let next else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(next.delay)) { self.run(next.number) }
  }
}
