// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Keys of one entity, each of them once, that lie close together between the smallest and the largest: reading
/// everything in between is faster than looking up each, and nothing has to be sorted.
struct KeySpan {
  /// The smallest key.
  let first: Int64
  /// The largest key.
  let last: Int64
  /// For each number from the smallest to the largest the index of its key; negative where there is none.
  private let places: [Int32]

  /// Nil when the keys are of several entities, far apart, or twice there.
  init?(of keys: [Int64]) {
    guard let found = KeyPlaces(of: keys, mostPassed: KeyRun.mostPassed) else { return nil }
    first = found.first
    last = found.last
    places = found.places
  }

  /// The index of a key; nil when it is none of them.
  @inline(__always) func place(of key: Int64) -> Int? {
    // Between them there may be records of other entities of the table.
    guard RecordKey.entityCode(of: key ^ first) == 0 else { return nil }
    let number = RecordKey.sequence(of: key) &- RecordKey.sequence(of: first)
    guard number >= 0, number < places.count, places[Int(number)] >= 0 else { return nil }
    return Int(places[Int(number)])
  }
}
