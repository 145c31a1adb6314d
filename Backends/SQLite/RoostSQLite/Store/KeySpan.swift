// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Distinct keys of one entity that are dense between the smallest and the largest: a range scan is faster than a
/// look-up of each, and needs no sorting.
struct KeySpan {
  /// The smallest key.
  let first: Int64
  /// The largest key.
  let last: Int64
  /// The index of the key for each number from the smallest to the largest; negative where there is none.
  private let places: [Int32]

  /// Nil when the keys are of several entities, sparse, or not distinct.
  init?(of keys: [Int64]) {
    guard let found = KeyPlaces(of: keys, mostPassed: KeyRun.mostPassed) else { return nil }
    first = found.first
    last = found.last
    places = found.places
  }

  /// Returns the index of a key; nil when it is not one of them.
  @inline(__always) func place(of key: Int64) -> Int? {
    // There may be records of other entities of the table in between.
    guard RecordKey.entityCode(of: key ^ first) == 0 else { return nil }
    let number = RecordKey.sequence(of: key) &- RecordKey.sequence(of: first)
    guard number >= 0, number < places.count, places[Int(number)] >= 0 else { return nil }
    return Int(places[Int(number)])
  }
}
