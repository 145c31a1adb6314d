// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Many keys in ascending order.
///
/// Records that were made together lie together: in a store, in the cache, and so do their rows in memory. Read in the
/// order of the keys, they are passed one after the other; in another order, as that of a relationship's destinations,
/// each is fetched from memory several times.
struct KeyOrder {
  /// The keys in order.
  let keys: [Int64]
  /// Where each of them stood.
  let places: [Int]

  /// The number of keys below which their order does not matter.
  static let leastCount = 256
  /// How many numbers there may be for each key, so that the keys are put in order by counting through these.
  private static let mostPassed: Int64 = 8

  /// Nil when the keys are few, or in order.
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

  /// The places of keys of one entity, each of them once, that lie close together; else nil.
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
