// SPDX-License-Identifier: Apache-2.0

/// Where each of many keys of one entity stands among them, by its number: for keys that lie close together nothing has
/// to be sorted or hashed.
package struct KeyPlaces {
  /// The smallest key.
  package let first: Int64
  /// The largest key.
  package let last: Int64
  /// For each number from the smallest to the largest the index of its key; negative where there is none.
  package let places: [Int32]

  /// Nil when the keys are of several entities, far apart, or twice there.
  ///
  /// - Parameter mostPassed: How many numbers there may be for each key.
  package init?(of keys: [Int64], mostPassed: Int64) {
    guard keys.count < Int32.max, var first = keys.first, var last = keys.first else { return nil }
    var differences: Int64 = 0
    for key in keys {
      differences |= key ^ first
      first = min(first, key)
      last = max(last, key)
    }
    // What differs between keys of one entity are their numbers.
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
