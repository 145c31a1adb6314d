// SPDX-License-Identifier: Apache-2.0

/// How much a store was asked, counted since it was added: what a test of batching or a tuning session looks at.
///
/// ```swift
/// let before = coordinator.counters
/// _ = try context.fetch(request)
/// print((coordinator.counters - before).roundTrips)  // 1
/// ```
public struct StoreCounters: Sendable, Hashable {
  /// Requests of every kind that went to the store.
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
  /// Snapshots that were taken to be read for a while.
  public var snapshots = 0
  /// Questions about the history of the store, and deletions there.
  public var historyRequests = 0
  /// Rows that came from the store.
  public var rows = 0
  /// Statements or scans that the store ran for all of it, as far as it reports them.
  public var statements = 0
  /// Rows that were found in the row cache instead of being asked for.
  public var cacheHits = 0

  /// Makes counters that are zero.
  public init() {}

  /// The sum of two counts, as of two stores.
  public static func + (left: StoreCounters, right: StoreCounters) -> StoreCounters {
    combine(left, right, &+)
  }

  /// What was counted from `right` to `left`.
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
