// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// Counts what one store is asked.
final class StoreTally: Sendable {
  private let state = Mutex(StoreCounters())

  /// Counts one request of a kind.
  func countRequest(_ kind: any WritableKeyPath<StoreCounters, Int> & Sendable) {
    state.withLock { counters in
      counters.roundTrips += 1
      counters[keyPath: kind] += 1
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
