// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A logarithmic scale for positive numbers: equal factors are equal distances.
struct LogScale {
  let lower: Double
  let upper: Double
  let start: Double
  let end: Double

  /// Makes a scale from one power of ten to another that covers all values.
  ///
  /// - Parameters:
  ///   - values: The values; those that are not positive are left out.
  ///   - start: The coordinate of the lower end.
  ///   - end: The coordinate of the upper end.
  init(decadesFor values: [Double], from start: Double, to end: Double) {
    let positive = values.filter { $0 > 0 && $0.isFinite }
    let low = floor(log10(positive.min() ?? 1) + 1e-9)
    let high = ceil(log10(positive.max() ?? 10) - 1e-9)
    self.init(lower: pow(10, low), upper: pow(10, max(high, low + 1)), from: start, to: end)
  }

  init(lower: Double, upper: Double, from start: Double, to end: Double) {
    self.lower = lower
    self.upper = upper
    self.start = start
    self.end = end
  }

  /// Returns the coordinate of a value; values beyond the ends are drawn at the ends.
  func place(_ value: Double) -> Double {
    guard value > 0 else { return start }
    let part = log(value / lower) / log(upper / lower)
    return start + min(max(part, 0), 1) * (end - start)
  }

  /// The powers of ten on the scale.
  var decades: [Double] {
    let low = Int((log10(lower) - 1e-9).rounded(.up))
    let high = Int((log10(upper) + 1e-9).rounded(.down))
    return low <= high ? (low...high).map { pow(10, Double($0)) } : []
  }
}
