// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Trims a store's history to its limits: after commits, asynchronously, and in steps small enough not to keep
/// concurrent writers waiting for long.
package struct HistoryTrimmer {
  /// The maximum number of transactions that a step removes.
  static let step = 100
  /// The pause between steps, in milliseconds.
  static let pause = 5

  private let store: AttachedStore

  init(_ store: AttachedStore) {
    self.store = store
  }

  /// Trims the histories of all stores now.
  ///
  /// - Returns: The number of steps.
  package static func trim(_ coordinator: PersistentStoreCoordinator) throws -> Int {
    let ticks = coordinator.historyTicks
    // Not concurrently with the trimming after commits.
    return try ticks.trimming.sync {
      var steps = 0
      for store in coordinator.attachedStores where store.keepsHistory && !store.isReadOnly {
        while try HistoryTrimmer(store).trimOnce(at: ticks.clock()).count > 0 { steps += 1 }
      }
      return steps
    }
  }

  /// Returns the number of automatic steps so far.
  package static func steps(in coordinator: PersistentStoreCoordinator) -> Int {
    coordinator.attachedStores.reduce(0) { $0 + $1.historyCare.steps }
  }

  /// Notes a commit, and schedules trimming if it is due.
  func noteCommit(_ coordinator: PersistentStoreCoordinator) {
    guard store.keepsHistory, !store.isReadOnly else { return }
    let ticks = coordinator.historyTicks
    guard ticks.isTrimming, store.historyCare.noteCommit(at: ticks.clock()) else { return }
    proceed(on: ticks.trimming, clock: ticks.clock)
  }

  private func proceed(on queue: DispatchQueue, clock: @escaping @Sendable () -> Double) {
    // A store that is closed meanwhile refuses the requests.
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.pause)) { [store] in
      let trimmer = HistoryTrimmer(store)
      // After a failure, trimming is retried a few commits later.
      let removed = (try? trimmer.trimOnce(at: clock())) ?? HistorySize()
      guard removed.count == 0 else {
        store.historyCare.noteStep()
        return trimmer.proceed(on: queue, clock: clock)
      }
      store.historyCare.end(at: clock())
    }
  }

  /// The number of attempts of a step, when another process removes transactions after they were counted.
  private static let attempts = 3

  /// Removes one batch of excess transactions.
  ///
  /// The excess is counted before the transaction of the step, which would keep writers waiting; the step removes
  /// nothing when another process has removed transactions meanwhile, and they are counted again.
  private func trimOnce(at now: Double) throws -> HistorySize {
    for _ in 0..<Self.attempts {
      let size = try count()
      guard var step = try excess(of: size, at: now),
        let readers = try store.positionsOfConsumers(at: now)
      else { break }
      step.generation = size.generation
      step.readers = readers
      step.limit = min(Self.step, step.limit ?? .max)
      let removed = try asking { [step] in try $0.deleteTransactions(step) }
      guard !removed.isOutdated else { continue }
      // Nothing is removed either when a consumer still needs all of it: counting again would not change that.
      store.historyCare.size = size.without(removed)
      return removed
    }
    return HistorySize()
  }

  /// Counts the transactions, those that are known from the last time not again.
  private func count() throws -> HistorySize {
    let known = store.historyCare.size
    let size = try asking { try $0.size(since: known) }
    store.historyCare.size = size
    return size
  }

  /// Returns the transactions to remove; nil for none. Only reads.
  private func excess(of size: HistorySize, at now: Double) throws -> HistoryDeletion? {
    let limits = store.historyCare.limits
    let isTooMuch =
      size.count > limits.count ?? .max || size.count > 1 && size.bytes > limits.bytes ?? .max
    guard isTooMuch else { return try outdated(limits, at: now) }
    // The last transaction stays, however large it is.
    var deletion = HistoryDeletion(before: .position(try asking { try $0.position() }))
    if let count = limits.count, size.count > count {
      deletion.limit = size.count - Self.rest(of: count)
    } else if let bytes = limits.bytes {
      deletion.byteLimit = size.bytes - Self.rest(of: bytes)
    }
    return deletion
  }

  /// Returns the transactions that are too old; nil for none.
  private func outdated(_ limits: HistoryLimits, at now: Double) throws -> HistoryDeletion? {
    guard let days = limits.days else { return nil }
    let oldest = now - days * 86_400
    let deletion = HistoryDeletion(before: .time(oldest))
    do {
      let first = try asking { try $0.transactions(after: nil, limit: 1) }.first
      return first.map { $0.timestamp < oldest } ?? false ? deletion : nil
    } catch let error as PersistenceError where error.code == .corruptStore {
      // The deletion reads the time, and not the content, which is damaged.
      return deletion
    }
  }

  /// The target size for a limit: an eighth less, so that not every save exceeds it again.
  private static func rest(of limit: Int) -> Int { max(limit - limit / 8, 1) }

  /// Sends a request to the store without counting it, since no caller asked for it.
  private func asking<Result>(_ body: (any StoreHistory) throws -> Result) throws -> Result {
    try store.requestingToTheEnd { store in
      guard let history = store.history else {
        throw PersistenceError(
          .persistentStoreUnsupportedRequestType, "The store keeps no history.",
          store: store.identity.identifier)
      }
      return try body(history)
    }
  }
}
