// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Everything that a run found: what is printed, written as JSON and drawn.
struct BenchResults: Codable {
  /// The format of the file; another one is refused.
  static let currentFormat = 1

  var format = Self.currentFormat
  var date = Date()
  var machine = Machine.current
  var objects: Int
  var rounds: Int
  var durability: Durability
  /// The engines that were measured, with what durability was on.
  var engines: [EngineNote] = []
  var measurements: [Measurement] = []
  var curves: [CurvePoint] = []
  var concurrency: [ConcurrencyResult] = []
  /// Contexts that save side by side; nil when they were not measured.
  var savers: [SaversResult]?
  /// Histories and live results; nil when they were not measured.
  var history: [ComparedResult<HistoryWork>]?
  /// Stores that follow their model; nil when they were not measured.
  var evolution: [ComparedResult<EvolutionWork>]?
  /// Several stores as one; nil when that was not measured.
  var across: [ComparedResult<AcrossWork>]?
  /// Whether the run was ended before its end.
  var isInterrupted = false
  /// What could not be measured, a sentence each; the figures are those of the rest. nil when all went well.
  var failures: [String]?

  init(objects: Int, rounds: Int, durability: Durability) {
    self.objects = objects
    self.rounds = rounds
    self.durability = durability
  }

  /// An engine, in words.
  struct EngineNote: Codable, Hashable {
    var store: StoreKind
    var version: String
    var durability: String
  }

  func measurement(
    _ store: StoreKind, _ workload: String, _ baseline: Baseline? = nil
  ) -> Measurement? {
    measurements.first {
      $0.store == store && $0.workload == workload && $0.baseline == baseline
    }
  }

  /// Adds a value to what was measured before.
  mutating func add(
    _ value: Double, unit: String, to key: Measurement.Key, checksum: Checksum? = nil
  ) {
    if let index = measurements.firstIndex(where: { $0.key == key }) {
      measurements[index].values.append(value)
    } else {
      measurements.append(
        Measurement(
          store: key.store, workload: key.workload, baseline: key.baseline, unit: unit,
          values: [value], checksum: checksum))
    }
  }

  /// Notes that something could not be measured.
  mutating func fail(_ what: String, _ error: any Error) {
    failures = (failures ?? []) + ["\(what): \(error)"]
  }

  /// How much was done.
  var extent: Extent { Extent(objects: objects) }

  /// The stores that were measured, in their usual order.
  var stores: [StoreKind] { Set(measurements.map(\.store)).sorted() }

  /// The workloads that were measured, in their usual order.
  var workloads: [String] {
    Set(measurements.map(\.workload)).sorted {
      (WorkloadCatalogue.place(of: $0), $0) < (WorkloadCatalogue.place(of: $1), $1)
    }
  }
}
