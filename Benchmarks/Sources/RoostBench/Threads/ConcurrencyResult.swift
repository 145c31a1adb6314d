// SPDX-License-Identifier: Apache-2.0

/// What contexts do side by side.
struct ConcurrencyResult: Codable, Hashable {
  var store: StoreKind
  /// How many contexts read.
  var readers: Int
  /// Whether one writes meanwhile.
  var hasWriter: Bool
  /// Fetches of all readers in a second.
  var fetchesPerSecond: Double
  /// Saves in a second; zero without a writer.
  var savesPerSecond: Double
  /// How long a save takes, in milliseconds, by percentile.
  var saveMilliseconds: Percentiles?
  /// How long a fetch takes.
  var fetchMilliseconds: Percentiles?
}

/// Latencies at a glance.
struct Percentiles: Codable, Hashable {
  var p50: Double
  var p95: Double
  var p99: Double
  var maximum: Double

  /// - Parameter values: The latencies in any order; nil when there are none.
  init?(_ values: [Double]) {
    guard let maximum = values.max() else { return nil }
    let sorted = values.sorted()
    p50 = Spread.quantile(0.50, of: sorted)
    p95 = Spread.quantile(0.95, of: sorted)
    p99 = Spread.quantile(0.99, of: sorted)
    self.maximum = maximum
  }
}
