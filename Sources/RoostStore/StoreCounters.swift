// SPDX-License-Identifier: Apache-2.0

/// Counters of a store's requests since it was added, for tests of batching and for tuning.
///
/// ```swift
/// let before = coordinator.counters
/// _ = try context.fetch(request)
/// print((coordinator.counters - before).roundTrips)  // 1
/// ```
public struct StoreCounters: Sendable, Hashable {
  /// Requests of all kinds to the store.
  public var roundTrips = 0
  /// Fetches among them.
  public var fetches = 0
  /// Requests for rows by key, which fire faults.
  public var rowRequests = 0
  /// Requests for the destinations of relationships.
  public var relationshipRequests = 0
  /// Commits among them, whether they succeeded or not.
  public var commits = 0
  /// Reservations of keys for new records.
  public var reservations = 0
  /// Snapshots that were opened for repeated reads.
  public var snapshots = 0
  /// Reads of the store's history, and deletions from it.
  public var historyRequests = 0
  /// Rows that came from the store.
  public var rows = 0
  /// Statements or scans that the store ran, as far as it reports them.
  public var statements = 0
  /// Rows that came from the row cache instead of the store.
  public var cacheHits = 0

  /// Makes counters that are zero.
  public init() {}

  /// Returns the sum of two counts, such as those of two stores.
  public static func + (left: StoreCounters, right: StoreCounters) -> StoreCounters {
    combine(left, right, &+)
  }

  /// Returns the counts between `right` and `left`.
  public static func - (left: StoreCounters, right: StoreCounters) -> StoreCounters {
    combine(left, right, &-)
  }

  private static func combine(
    _ left: StoreCounters, _ right: StoreCounters, _ operation: (Int, Int) -> Int
  ) -> StoreCounters {
    var result = StoreCounters()
    for field in fields {
      result[keyPath: field] = operation(left[keyPath: field], right[keyPath: field])
    }
    return result
  }

  private static var fields: [WritableKeyPath<StoreCounters, Int>] {
    [
      \.roundTrips, \.fetches, \.rowRequests, \.relationshipRequests, \.commits, \.reservations,
      \.snapshots, \.historyRequests, \.rows, \.statements, \.cacheHits,
    ]
  }
}
