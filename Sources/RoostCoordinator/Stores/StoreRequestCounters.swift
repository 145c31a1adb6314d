// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// Counts the requests to one store.
///
/// Every request counts, from every thread: each counter is a separate atomic, without a lock.
final class StoreRequestCounters: Sendable {
  private let fetches = Atomic<Int>(0)
  private let rowRequests = Atomic<Int>(0)
  private let relationshipRequests = Atomic<Int>(0)
  private let commits = Atomic<Int>(0)
  private let reservations = Atomic<Int>(0)
  private let snapshots = Atomic<Int>(0)
  private let historyRequests = Atomic<Int>(0)
  private let rows = Atomic<Int>(0)
  private let cacheHits = Atomic<Int>(0)

  /// Counts one request of a kind.
  func count(_ kind: StoreOperation.Kind) {
    switch kind {
    case .fetch, .count: fetches.wrappingAdd(1, ordering: .relaxed)
    case .rows: rowRequests.wrappingAdd(1, ordering: .relaxed)
    case .relationships: relationshipRequests.wrappingAdd(1, ordering: .relaxed)
    case .commit: commits.wrappingAdd(1, ordering: .relaxed)
    case .reservation: reservations.wrappingAdd(1, ordering: .relaxed)
    case .snapshot: snapshots.wrappingAdd(1, ordering: .relaxed)
    case .history: historyRequests.wrappingAdd(1, ordering: .relaxed)
    // These consist of requests, or are none.
    case .evaluation, .batchInsert, .batchUpdate, .batchDelete, .opening, .migrationStep: break
    }
  }

  /// Counts rows that came from the store.
  func countRows(_ count: Int) {
    rows.wrappingAdd(count, ordering: .relaxed)
  }

  /// Counts rows that were found in the cache.
  func countCacheHits(_ count: Int) {
    if count > 0 { cacheHits.wrappingAdd(count, ordering: .relaxed) }
  }

  /// The counts, with the statements that the store itself reports.
  func counters(statements: Int) -> StoreCounters {
    var counters = StoreCounters()
    counters.fetches = fetches.load(ordering: .relaxed)
    counters.rowRequests = rowRequests.load(ordering: .relaxed)
    counters.relationshipRequests = relationshipRequests.load(ordering: .relaxed)
    counters.commits = commits.load(ordering: .relaxed)
    counters.reservations = reservations.load(ordering: .relaxed)
    counters.snapshots = snapshots.load(ordering: .relaxed)
    counters.historyRequests = historyRequests.load(ordering: .relaxed)
    counters.rows = rows.load(ordering: .relaxed)
    counters.cacheHits = cacheHits.load(ordering: .relaxed)
    counters.roundTrips =
      counters.fetches + counters.rowRequests + counters.relationshipRequests + counters.commits
      + counters.reservations + counters.snapshots + counters.historyRequests
    counters.statements = statements
    return counters
  }
}
