// SPDX-License-Identifier: Apache-2.0

/// What it costs to keep a history, or to follow one: a value a round.
struct HistoryResult: Codable, Hashable {
  var store: StoreKind
  var work: HistoryWork
  var values: [Double]
  /// The same without; empty where there is nothing to compare with.
  var besides: [Double] = []

  var spread: Spread? { Spread(values) }

  /// The median by that of what it is compared with.
  var ratio: Double? {
    guard let ours = spread, let other = Spread(besides), other.median > 0 else { return nil }
    return ours.median / other.median
  }

  /// Whether the goal holds; nil when there is none.
  var holds: Bool? {
    guard let goal = work.goal(store) else { return nil }
    if work.beside != nil { return ratio.map { $0 <= goal } }
    guard let median = spread?.median else { return nil }
    return work == .read ? median >= goal : median <= goal
  }
}
