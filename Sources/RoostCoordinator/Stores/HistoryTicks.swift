// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Wakes those who follow the stores' histories when there may be something new, and counts them: the stores are looked
/// at for their sake only while there is one.
package final class HistoryTicks: Sendable {
  private struct State {
    var count = 0
    var nextWaiter = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Mutex(State())
  private let followers = Atomic<Int>(0)
  /// Where it is decided what is watched, one thing after the other.
  let queue = DispatchQueue(label: "roost.coordinator.history")
  /// Where histories are trimmed.
  let trimming = DispatchQueue(label: "roost.coordinator.history-trimming", qos: .utility)
  private let trims = Atomic<Bool>(true)
  private let present = Mutex(Clock { Date.now.timeIntervalSinceReferenceDate })

  /// A closure that lies in a lock by itself is wrapped once more each time that the lock is taken.
  private struct Clock {
    var now: @Sendable () -> Double
  }

  /// What time it is for the history, in seconds since 2001-01-01 00:00 UTC: another clock in tests.
  package var clock: @Sendable () -> Double {
    get { present.withLock { $0.now } }
    set { present.withLock { $0.now = newValue } }
  }

  /// Whether histories are trimmed after commits; tests do that when they say.
  package var isTrimming: Bool {
    get { trims.load(ordering: .relaxed) }
    set { trims.store(newValue, ordering: .relaxed) }
  }

  /// Whether anybody follows.
  var isFollowed: Bool { followers.load(ordering: .acquiring) > 0 }

  /// How many follow.
  package var followerCount: Int { followers.load(ordering: .acquiring) }

  /// How many of them wait at this moment.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Notes one who follows more, or less.
  ///
  /// - Returns: How many there were before.
  func changeFollowers(_ change: Int) -> Int {
    followers.wrappingAdd(change, ordering: .acquiringAndReleasing).oldValue
  }

  /// How often there may have been something new.
  package var count: Int { state.withLock { $0.count } }

  /// Notes that there may be something new.
  func tick() {
    guard isFollowed else { return }
    let waiters = state.withLock { state in
      state.count += 1
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until there may be something new, or the task is cancelled.
  ///
  /// - Parameter known: What ``count`` was before it was looked.
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

/// One who follows the histories of a coordinator's stores, for as long as there is this object.
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
    // It may end on any thread, also where the stores are looked at.
    ticks.queue.async {
      guard ticks.changeFollowers(-1) == 1 else { return }
      for store in coordinator.attachedStores { store.updateWatchInTurn() }
    }
  }
}

extension PersistentStoreCoordinator {
  /// Who follows the stores' histories.
  package var historyTicks: HistoryTicks { remoteChanges.ticks }
}
