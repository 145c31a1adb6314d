// SPDX-License-Identifier: Apache-2.0

/// The result of concurrent readers, with or without a writer.
struct ConcurrencyResult: Codable, Hashable {
  var store: StoreKind
  /// The number of contexts that read.
  var readers: Int
  /// Whether another context writes at the same time.
  var hasWriter: Bool
  /// Fetches per second, of all readers.
  var fetchesPerSecond: Double
  /// Saves per second; zero without a writer.
  var savesPerSecond: Double
  /// The duration of a save in milliseconds, by percentile.
  var saveMilliseconds: Percentiles?
  /// The duration of a fetch in milliseconds, by percentile.
  var fetchMilliseconds: Percentiles?
}

/// Percentiles of latencies.
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
