// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Synchronization

/// A line of writers of which those that wait are written in one transaction: group commit.
///
/// A writer that finds nobody writing leads: it takes the lock of its engine, then everybody who waits by that time,
/// writes all of them and flushes once. Who comes meanwhile waits in line, and the first in line leads next. A writer
/// alone leads without a wait, a thread or an allocation.
package final class WriteQueue<Work>: Sendable {
  /// A writer that waits until it was written by the leader, or until it leads.
  package final class Waiter: @unchecked Sendable {
    // Sendable: the leader touches work and result while the writer waits for the bell, the writer only afterwards.

    /// What is to be written; nil once the leader has done with it.
    package private(set) var work: Work?
    fileprivate private(set) var result: Result<Void, any Error>?
    fileprivate let deadline: Deadline
    fileprivate let bell = DispatchSemaphore(value: 0)
    /// Whether the writer leads or was written; a bell alone can also mean that the writer was cancelled.
    fileprivate let isServed = Atomic<Bool>(false)

    fileprivate init(_ work: Work, _ deadline: Deadline) {
      self.work = work
      self.deadline = deadline
    }

    /// Tells the writer how it ended, after the transaction did.
    package func finish(_ result: Result<Void, any Error>) {
      self.result = result
      // Before the bell: the writer may take its work back as soon as it wakes.
      work = nil
      serve()
    }

    fileprivate func abandon() { work = nil }

    fileprivate func lead() {
      work = nil
      serve()
    }

    private func serve() {
      isServed.store(true, ordering: .releasing)
      bell.signal()
    }
  }

  private struct State {
    var isBusy = false
    var waiting: [Waiter] = []
    /// How many writers there were when the last group was written, and how long that took.
    var lastCount = 0
    var lastSeconds = 0.0
    var lastEnd = 0.0
    var begin = 0.0
    var count = 1
  }

  // Read and written only while `condition` is locked.
  nonisolated(unsafe) private var state = State()
  private let condition = NSCondition()

  package init() {}

  /// Begins to lead if nobody does; then ``end(after:)`` must follow.
  package func beginLeading() -> Bool {
    condition.withLock {
      guard !state.isBusy else { return false }
      state.isBusy = true
      return true
    }
  }

  /// Waits in line.
  ///
  /// - Parameters:
  ///   - work: What is to be written.
  ///   - deadline: When the writer gives up if the engine's lock cannot be had.
  ///   - cancellation: What ends the wait, as long as nobody has begun to write the work.
  /// - Returns: True when the caller leads now, and writes its work itself; then ``end(after:)`` must follow. False
  ///   when it was written.
  /// - Throws: What the leader says, or `userCancelled`.
  package func wait(
    _ work: Work, until deadline: Deadline, _ cancellation: RequestCancellation? = nil
  ) throws -> Bool {
    let waiter: Waiter? = condition.withLock {
      guard state.isBusy else {
        state.isBusy = true
        return nil
      }
      let waiter = Waiter(work, deadline)
      state.waiting.append(waiter)
      condition.signal()
      return waiter
    }
    guard let waiter else { return true }
    if let cancellation {
      try waitCancellably(waiter, cancellation)
    } else {
      waiter.bell.wait()
    }
    guard let result = waiter.result else { return true }
    try result.get()
    return false
  }

  /// Waits until the writer is served, or was cancelled and has left the line: who was taken out of it by a leader
  /// waits to the end, for only the leader knows what becomes of the work.
  private func waitCancellably(
    _ waiter: Waiter, _ cancellation: RequestCancellation
  ) throws {
    let bell = waiter.bell
    var hasLeft = false
    do {
      try cancellation.interrupting({ bell.signal() }) {
        while !hasLeft, !waiter.isServed.load(ordering: .acquiring) {
          bell.wait()
          hasLeft = cancellation.isCancelled && leave(waiter)
        }
      }
    } catch {
      // It was cancelled before it came into the line.
      hasLeft = leave(waiter)
      while !hasLeft, !waiter.isServed.load(ordering: .acquiring) { bell.wait() }
    }
    if hasLeft { throw RequestCancellation.error }
  }

  /// Takes a writer out of the line.
  ///
  /// - Returns: False when the leader writes it by now, or it leads.
  private func leave(_ waiter: Waiter) -> Bool {
    condition.withLock {
      guard let place = state.waiting.firstIndex(where: { $0 === waiter }) else { return false }
      state.waiting.remove(at: place)
      // It must not outlive the call that waits.
      waiter.abandon()
      return true
    }
  }

  /// Returns those who wait, for the leader to write them after its own work; it holds the engine's lock.
  ///
  /// Writers that were written together come back at about the same time. Where a flush takes long, the leader gives
  /// them a fraction of that to arrive, so that they share the next one as well; a writer that comes alone never waits.
  package func takeWaiting() -> [Waiter] {
    condition.lock()
    defer { condition.unlock() }
    let start = Self.now()
    if state.lastCount > 1, state.lastSeconds > Self.shortestWorthAWait,
      start - state.lastEnd < state.lastSeconds
    {
      let limit = Date(timeIntervalSinceNow: min(state.lastSeconds / 4, Self.longestWait))
      while state.waiting.count + 1 < state.lastCount, condition.wait(until: limit) {}
    }
    defer { state.waiting = [] }
    state.begin = Self.now()
    state.count = state.waiting.count + 1
    return state.waiting
  }

  private static var shortestWorthAWait: Double { 0.0005 }
  private static var longestWait: Double { 0.002 }

  /// Ends leading: the first in line leads next.
  ///
  /// - Parameter error: Why the engine's lock could not be had; those whose time is over as well give up with it.
  package func end(after error: (any Error)? = nil) {
    var late: [Waiter] = []
    // Who was cancelled says nothing of the lock.
    let isCancelled = (error as? PersistenceError)?.code == .userCancelled
    let error = isCancelled ? nil : error
    let next: Waiter? = condition.withLock {
      if error != nil {
        late = state.waiting.filter(\.deadline.isOver)
        state.waiting.removeAll(where: \.deadline.isOver)
      }
      state.lastEnd = Self.now()
      state.lastSeconds = state.begin > 0 ? state.lastEnd - state.begin : 0
      state.lastCount = state.count + state.waiting.count
      state.count = 1
      state.begin = 0
      guard !state.waiting.isEmpty else {
        state.isBusy = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.lead()
    if let error { for waiter in late { waiter.finish(.failure(error)) } }
  }

  /// Whether there is a leader.
  package var isBusy: Bool { condition.withLock { state.isBusy } }

  /// How many wait in line.
  package var waitingCount: Int { condition.withLock { state.waiting.count } }

  private static func now() -> Double {
    Double(DispatchTime.now().uptimeNanoseconds) * 1e-9
  }
}
