// SPDX-License-Identifier: Apache-2.0

/// A direct lookup table from the keys of one entity to their indices, for dense keys, without sorting or hashing.
package struct KeyPlaces {
  /// The smallest key.
  package let first: Int64
  /// The largest key.
  package let last: Int64
  /// For each number from the smallest to the largest, the index of its key; negative where there is none.
  package let places: [Int32]

  /// Makes the table; nil when the keys belong to several entities, are too sparse, or contain duplicates.
  ///
  /// - Parameter mostPassed: The maximum number of table entries per key.
  package init?(of keys: [Int64], mostPassed: Int64) {
    guard keys.count < Int32.max, var first = keys.first, var last = keys.first else { return nil }
    var differences: Int64 = 0
    for key in keys {
      differences |= key ^ first
      first = min(first, key)
      last = max(last, key)
    }
    // Keys of one entity differ only in their numbers.
    guard RecordKey.entityCode(of: differences) == 0 else { return nil }
    let base = RecordKey.sequence(of: first)
    let (span, overflow) = RecordKey.sequence(of: last).subtractingReportingOverflow(base)
    guard !overflow, span <= Int64(keys.count) * mostPassed else { return nil }
    var places = [Int32](repeating: -1, count: Int(span) + 1)
    for (index, key) in keys.enumerated() {
      let place = Int(RecordKey.sequence(of: key) - base)
      guard places[place] < 0 else { return nil }
      places[place] = Int32(index)
    }
    self.first = first
    self.last = last
    self.places = places
  }
}
