// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A run of consecutive keys in a sorted list, and whether they are dense.
struct KeyRun {
  /// The range of the run in the sorted keys.
  let range: Range<Int>
  /// Whether a range scan from the first to the last is faster than a look-up of each; all keys are of one entity
  /// then.
  let isDense: Bool

  /// The number of keys below which each is looked up.
  static let leastCount = 64
  /// The number of keys that are judged together: a sparse section does not affect the others.
  private static let length = 256
  /// The number of records that a scan may skip for each requested one: skipping one costs about a fifth of a look-up.
  static let mostPassed: Int64 = 3

  /// Splits keys into runs.
  ///
  /// - Parameter order: The indices of the keys in sorted order.
  static func runs(of keys: [Int64], inOrder order: [Int]) -> [KeyRun] {
    var runs: [KeyRun] = []
    var start = 0
    while start < order.count {
      let end = min(start + length, order.count)
      let isDense = isDense(keys, order[start..<end])
      if let last = runs.last, last.isDense == isDense,
        !isDense || continues(keys[order[start - 1]], keys[order[start]])
      {
        runs[runs.count - 1] = KeyRun(range: last.range.lowerBound..<end, isDense: isDense)
      } else {
        runs.append(KeyRun(range: start..<end, isDense: isDense))
      }
      start = end
    }
    return runs
  }

  private static func isDense(_ keys: [Int64], _ places: ArraySlice<Int>) -> Bool {
    guard places.count >= leastCount, let first = places.first, let last = places.last else {
      return false
    }
    let span = RecordKey.sequence(of: keys[last]) - RecordKey.sequence(of: keys[first])
    guard span <= Int64(places.count) * mostPassed else { return false }
    return places.allSatisfy { isSameEntity(keys[first], keys[$0]) }
  }

  /// Returns whether a dense run continues in the next one.
  private static func continues(_ last: Int64, _ next: Int64) -> Bool {
    isSameEntity(last, next)
      && RecordKey.sequence(of: next) - RecordKey.sequence(of: last) <= Int64(length) * mostPassed
  }

  private static func isSameEntity(_ left: Int64, _ right: Int64) -> Bool {
    RecordKey.entityCode(of: left) == RecordKey.entityCode(of: right)
  }
}
