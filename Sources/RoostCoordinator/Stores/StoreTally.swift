// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// Counts what one store is asked.
final class StoreTally: Sendable {
  private let state = SharedState(StoreCounters())

  /// A kind of request that is counted by itself.
  enum Request {
    case fetches, rowRequests, relationshipRequests, commits, reservations, snapshots
  }

  /// Counts one request of a kind.
  func countRequest(_ kind: Request) {
    state.withLock { counters in
      counters.roundTrips += 1
      switch kind {
      case .fetches: counters.fetches += 1
      case .rowRequests: counters.rowRequests += 1
      case .relationshipRequests: counters.relationshipRequests += 1
      case .commits: counters.commits += 1
      case .reservations: counters.reservations += 1
      case .snapshots: counters.snapshots += 1
      }
    }
  }

  /// Counts rows that came from the store.
  func countRows(_ count: Int) {
    state.withLock { $0.rows += count }
  }

  /// Counts rows that were found in the cache.
  func countCacheHits(_ count: Int) {
    state.withLock { $0.cacheHits += count }
  }

  /// The counts, with the statements that the store itself reports.
  func counters(statements: Int) -> StoreCounters {
    var counters = state.withLock { $0 }
    counters.statements = statements
    return counters
  }
}
