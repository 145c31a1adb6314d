// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the operations of stores and their durations, by operation, store, entity and outcome.
///
/// A server hands ``prometheusText(connections:)`` to Prometheus; a program or a test reads ``series``.
///
/// ```swift
/// let metrics = StoreMetrics()
/// container.instrument(with: metrics)
/// print(metrics.prometheusText())
/// ```
///
/// Memory is bounded: beyond ``seriesLimit`` series, new combinations are counted under the store and entity name
/// `other`.
public final class StoreMetrics: StoreInstrument {
  /// The maximum number of separate series.
  public let seriesLimit: Int
  /// The upper bounds of the histogram's buckets, in seconds, ascending.
  public let buckets: [Double]

  private struct State {
    var series: [Key: Series] = [:]
    var running: [Gauge: Int] = [:]
  }

  private struct Key: Hashable {
    var kind: StoreOperation.Kind
    var storeName: String
    var storeType: String
    var entityName: String
    var outcome: String
  }

  private struct Gauge: Hashable {
    var kind: StoreOperation.Kind
    var storeName: String
    var storeType: String
  }

  private let state = Mutex(State())

  /// Makes empty metrics.
  ///
  /// - Parameters:
  ///   - buckets: The upper bounds of the histogram's buckets, in seconds; they are sorted.
  ///   - seriesLimit: The maximum number of separate series.
  public init(buckets: [Double] = StoreMetrics.standardBuckets, seriesLimit: Int = 2_000) {
    self.buckets = Set(buckets.filter(\.isFinite)).sorted()
    self.seriesLimit = max(1, seriesLimit)
  }

  /// From a tenth of a millisecond to ten seconds.
  public static let standardBuckets = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    10,
  ]

  /// The counts of operations with the same operation, store, entity and outcome.
  ///
  /// ```swift
  /// let faults = metrics.series.filter { $0.kind == .rows }.reduce(0) { $0 + $1.implicitCount }
  /// ```
  public struct Series: Sendable, Hashable {
    /// The operation.
    public let kind: StoreOperation.Kind
    /// The name of the store; empty for batch requests.
    public let storeName: String
    /// The type of the store; empty for batch requests.
    public let storeType: String
    /// The name of the entity; empty for several entities, or none.
    public let entityName: String
    /// `success`, `conflict`, `cancelled`, or the name of an error's code.
    public let outcome: String
    /// The number of operations.
    public internal(set) var count = 0
    /// The number of operations that a fault or a relationship caused.
    public internal(set) var implicitCount = 0
    /// The rows that they returned or wrote.
    public internal(set) var rows = 0
    /// The size of the values in these rows in bytes; see ``StoreOperationResult/bytes``.
    public internal(set) var bytes = 0
    /// The total duration in seconds.
    public internal(set) var seconds = 0.0
    /// The number of operations per bucket, not cumulative; operations longer than all buckets are in none.
    public internal(set) var bucketCounts: [Int]
  }

  /// All series, sorted by their labels.
  public var series: [Series] {
    state.withLock { Array($0.series.values) }.sorted {
      ($0.kind.rawValue, $0.storeName, $0.storeType, $0.entityName, $0.outcome)
        < ($1.kind.rawValue, $1.storeName, $1.storeType, $1.entityName, $1.outcome)
    }
  }

  /// Returns the number of completed operations of a kind.
  ///
  /// - Parameters:
  ///   - kind: The operation.
  ///   - entityName: The name of an entity; nil for all.
  ///   - outcome: An outcome, as in ``Series/outcome``; nil for all.
  public func count(
    of kind: StoreOperation.Kind, entityName: String? = nil, outcome: String? = nil
  ) -> Int {
    state.withLock { state in
      state.series.values.reduce(0) { sum, series in
        let counts =
          series.kind == kind && entityName.map { $0 == series.entityName } ?? true
          && outcome.map { $0 == series.outcome } ?? true
        return counts ? sum + series.count : sum
      }
    }
  }

  /// The number of running operations by operation, store and type.
  var running: [(kind: StoreOperation.Kind, storeName: String, storeType: String, count: Int)] {
    state.withLock { state in
      state.running.map { ($0.key.kind, $0.key.storeName, $0.key.storeType, $0.value) }
    }.sorted {
      ($0.kind.rawValue, $0.storeName, $0.storeType) < (
        $1.kind.rawValue, $1.storeName, $1.storeType
      )
    }
  }

  /// Counts a running operation.
  ///
  /// - Parameter operation: The operation.
  public func operationBegan(_ operation: StoreOperation) {
    state.withLock { state in
      state.running[Self.gauge(of: operation), default: 0] += 1
    }
  }

  /// Counts an operation.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - result: How it ended.
  public func operationEnded(_ operation: StoreOperation, _ result: StoreOperationResult) {
    let parts = result.duration.components
    let seconds = Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    let outcome = result.outcome.description
    let bucket = buckets.firstIndex { seconds <= $0 }
    state.withLock { state in
      let gauge = Self.gauge(of: operation)
      let left = (state.running[gauge] ?? 1) - 1
      // A gauge at zero is removed, because stores come and go in a server.
      state.running[gauge] = left > 0 ? left : nil
      let key = key(of: operation, outcome, in: state)
      var series = state.series[key] ?? empty(key)
      series.count += 1
      if operation.isImplicit { series.implicitCount += 1 }
      series.rows = series.rows &+ result.rows
      series.bytes = series.bytes &+ result.bytes
      series.seconds += seconds
      if let bucket { series.bucketCounts[bucket] += 1 }
      state.series[key] = series
    }
  }

  private func key(of operation: StoreOperation, _ outcome: String, in state: State) -> Key {
    var key = Key(
      kind: operation.kind, storeName: operation.storeName, storeType: operation.storeType,
      entityName: operation.entityName ?? "", outcome: outcome)
    if state.series[key] == nil, state.series.count >= seriesLimit {
      (key.storeName, key.entityName) = ("other", "other")
    }
    return key
  }

  private func empty(_ key: Key) -> Series {
    Series(
      kind: key.kind, storeName: key.storeName, storeType: key.storeType,
      entityName: key.entityName, outcome: key.outcome,
      bucketCounts: [Int](repeating: 0, count: buckets.count))
  }

  private static func gauge(of operation: StoreOperation) -> Gauge {
    Gauge(kind: operation.kind, storeName: operation.storeName, storeType: operation.storeType)
  }
}
