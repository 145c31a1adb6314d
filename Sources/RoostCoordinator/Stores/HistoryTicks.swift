// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Wakes the followers of the stores' histories when there may be new transactions, and counts the followers: the
/// stores are polled for histories only while there is one.
package final class HistoryTicks: Sendable {
  private struct State {
    var count = 0
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())
  private let followers = Atomic<Int>(0)
  /// Serialises decisions about which stores are watched.
  let queue = DispatchQueue(label: "roost.coordinator.history")
  /// The queue on which histories are trimmed.
  let trimming = DispatchQueue(label: "roost.coordinator.history-trimming", qos: .utility)
  private let trims = Atomic<Bool>(true)
  private let present = Mutex(Clock { Date.now.timeIntervalSinceReferenceDate })

  /// Wraps the closure: a closure stored directly in a mutex is re-wrapped each time the lock is taken.
  private struct Clock {
    var now: @Sendable () -> Double
  }

  /// The current time for histories, in seconds since 2001-01-01 00:00 UTC; tests set another clock.
  package var clock: @Sendable () -> Double {
    get { present.withLock { $0.now } }
    set { present.withLock { $0.now = newValue } }
  }

  /// Whether histories are trimmed after commits; tests turn this off and trim explicitly.
  package var isTrimming: Bool {
    get { trims.load(ordering: .relaxed) }
    set { trims.store(newValue, ordering: .relaxed) }
  }

  /// Whether there are followers.
  var isFollowed: Bool { followers.load(ordering: .acquiring) > 0 }

  /// The number of followers.
  package var followerCount: Int { followers.load(ordering: .acquiring) }

  /// The number of followers that are waiting now.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Adds or removes a follower.
  ///
  /// - Parameter change: 1 or -1.
  /// - Returns: The previous number of followers.
  func changeFollowers(_ change: Int) -> Int {
    followers.wrappingAdd(change, ordering: .acquiringAndReleasing).oldValue
  }

  /// A counter that grows whenever there may be new transactions.
  package var count: Int { state.withLock { $0.count } }

  /// Notes that there may be new transactions, and resumes the waiters.
  func tick() {
    guard isFollowed else { return }
    let waiters = state.withLock { state in
      state.count += 1
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until there may be new transactions, or the task is cancelled.
  ///
  /// - Parameter known: The value of ``count`` before the caller last read the history.
  package func wait(after known: Int) async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          guard state.count == known, !Task.isCancelled else { return true }
          state.waiters[number] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }
  }
}

/// A registration as a follower of the histories of a coordinator's stores, for the lifetime of the object.
package final class HistoryFollower: Sendable {
  private let coordinator: PersistentStoreCoordinator

  package init(of coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
    let ticks = coordinator.historyTicks
    _ = ticks.changeFollowers(1)
    for store in coordinator.attachedStores where store.keepsHistory { store.updateWatch() }
  }

  deinit {
    let coordinator = coordinator
    let ticks = coordinator.historyTicks
    // The deinitializer may run on any thread, also on the queue that polls the stores.
    ticks.queue.async {
      guard ticks.changeFollowers(-1) == 1 else { return }
      for store in coordinator.attachedStores { store.updateWatchInTurn() }
    }
  }
}

extension PersistentStoreCoordinator {
  /// The followers of the stores' histories.
  package var historyTicks: HistoryTicks { remoteChanges.ticks }
}
