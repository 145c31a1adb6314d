// SPDX-License-Identifier: Apache-2.0

/// The distribution of a few measurements: median, quartiles, minimum and maximum.
struct Spread: Hashable, Codable {
  let count: Int
  let minimum: Double
  let lowerQuartile: Double
  let median: Double
  let upperQuartile: Double
  let maximum: Double

  /// - Parameter values: The measurements, in any order; nil when there are none.
  init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    count = sorted.count
    minimum = sorted[0]
    maximum = sorted[sorted.count - 1]
    lowerQuartile = Self.quantile(0.25, of: sorted)
    median = Self.quantile(0.5, of: sorted)
    upperQuartile = Self.quantile(0.75, of: sorted)
  }

  /// Returns a quantile of sorted values, with linear interpolation between the two nearest.
  static func quantile(_ part: Double, of sorted: [Double]) -> Double {
    guard let last = sorted.indices.last else { return .nan }
    let place = part * Double(last)
    let below = Int(place)
    guard below < last else { return sorted[last] }
    let share = place - Double(below)
    return sorted[below] * (1 - share) + sorted[below + 1] * share
  }

  /// Half the interquartile range divided by the median: the usual relative distance of a measurement from the
  /// median.
  var relativeDeviation: Double {
    median == 0 ? 0 : (upperQuartile - lowerQuartile) / 2 / median
  }

  /// Returns whether the interquartile ranges of two spreads do not overlap.
  func isApart(from other: Spread) -> Bool {
    lowerQuartile > other.upperQuartile || upperQuartile < other.lowerQuartile
  }
}
