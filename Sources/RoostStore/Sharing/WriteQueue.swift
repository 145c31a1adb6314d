// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Synchronization

/// A queue of writers for group commit: the leader writes all waiting writers in one transaction.
///
/// A writer that finds no other one writing becomes the leader: it takes the engine's lock, then all writers that
/// wait by that time, writes all of them and flushes once. Writers that arrive meanwhile are queued, and the first of
/// them leads next. A single writer leads without a wait, a thread or an allocation.
package final class WriteQueue<Work>: Sendable {
  /// A writer that waits until the leader has written it, or until it leads itself.
  package final class Waiter: @unchecked Sendable {
    // Sendable: the leader touches work and result while the writer waits for the bell, the writer only afterwards.

    /// The work to write; nil once the leader has finished it.
    package private(set) var work: Work?
    fileprivate private(set) var result: Result<Void, any Error>?
    fileprivate let deadline: Deadline
    fileprivate let bell = DispatchSemaphore(value: 0)
    /// Whether the writer leads or was written; a signal alone can also mean that the writer was cancelled.
    fileprivate let isServed = Atomic<Bool>(false)

    fileprivate init(_ work: Work, _ deadline: Deadline) {
      self.work = work
      self.deadline = deadline
    }

    /// Sets the writer's result and wakes it, after the transaction has ended.
    package func finish(_ result: Result<Void, any Error>) {
      self.result = result
      // Before the signal: the writer may reuse its work as soon as it wakes.
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
    /// The number of writers in the last group, and the duration of its commit.
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

  /// Becomes the leader if there is none; then ``end(after:)`` must follow.
  package func beginLeading() -> Bool {
    condition.withLock {
      guard !state.isBusy else { return false }
      state.isBusy = true
      return true
    }
  }

  /// Queues the caller, and waits.
  ///
  /// - Parameters:
  ///   - work: The work to write.
  ///   - deadline: The time limit for taking the engine's lock.
  ///   - cancellation: Ends the wait, unless the leader has already taken the work.
  /// - Returns: True when the caller leads now, and writes its work itself; then ``end(after:)`` must follow. False
  ///   when the leader has written it.
  /// - Throws: The error that the leader passed on, or `userCancelled`.
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

  /// Waits until the writer is served, or was cancelled and has left the queue. A writer that a leader has already
  /// taken waits to the end, because only the leader knows the outcome.
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
      // It was cancelled before it was queued.
      hasLeft = leave(waiter)
      while !hasLeft, !waiter.isServed.load(ordering: .acquiring) { bell.wait() }
    }
    if hasLeft { throw RequestCancellation.error }
  }

  /// Removes a writer from the queue.
  ///
  /// - Returns: False when a leader has already taken it, or when it leads.
  private func leave(_ waiter: Waiter) -> Bool {
    condition.withLock {
      guard let place = state.waiting.firstIndex(where: { $0 === waiter }) else { return false }
      state.waiting.remove(at: place)
      // The work must not outlive the waiting call.
      waiter.abandon()
      return true
    }
  }

  /// Returns the waiting writers, for the leader to write after its own work; the leader holds the engine's lock.
  ///
  /// Writers that were written together return at about the same time. Where a flush takes long, the leader waits for
  /// them for a fraction of that time, so that they share the next flush as well; a single writer never waits.
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

  /// Ends leading: the first writer in the queue leads next.
  ///
  /// - Parameter error: The error of a failed attempt to take the engine's lock; waiting writers past their deadline
  ///   fail with it.
  package func end(after error: (any Error)? = nil) {
    var late: [Waiter] = []
    // A cancellation says nothing about the lock.
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

  /// The number of queued writers.
  package var waitingCount: Int { condition.withLock { state.waiting.count } }

  private static func now() -> Double {
    Double(DispatchTime.now().uptimeNanoseconds) * 1e-9
  }
}
