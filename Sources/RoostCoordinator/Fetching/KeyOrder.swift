// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A sorted copy of many keys.
///
/// Records that were inserted together are adjacent in the store and in the cache, and so are their rows in memory.
/// In key order they are read sequentially; in another order, such as that of a relationship's destinations, cache
/// lines are loaded several times.
struct KeyOrder {
  /// The keys in order.
  let keys: [Int64]
  /// The original index of each key.
  let places: [Int]

  /// The number of keys below which the order does not matter.
  static let leastCount = 256
  /// The maximum size of the key range, in numbers for each key, at which a counting sort is used.
  private static let mostPassed: Int64 = 8

  /// Sorts keys; nil when they are few, or already in order.
  init?(of keys: [Int64]) {
    guard keys.count >= KeyOrder.leastCount, !KeyOrder.isAscending(keys) else { return nil }
    let places = KeyOrder.countedPlaces(of: keys) ?? KeyOrder.sortedPlaces(of: keys)
    self.places = places
    self.keys = places.map { keys[$0] }
  }

  private static func isAscending(_ keys: [Int64]) -> Bool {
    for index in 1..<keys.count where keys[index - 1] > keys[index] { return false }
    return true
  }

  /// Returns the original indices by counting sort; nil unless the keys are unique, of one entity, and close
  /// together.
  private static func countedPlaces(of keys: [Int64]) -> [Int]? {
    guard let found = KeyPlaces(of: keys, mostPassed: mostPassed) else { return nil }
    var places: [Int] = []
    places.reserveCapacity(keys.count)
    for place in found.places where place >= 0 { places.append(Int(place)) }
    return places
  }

  private static func sortedPlaces(of keys: [Int64]) -> [Int] {
    keys.enumerated()
      .sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
      .map(\.offset)
  }
}
