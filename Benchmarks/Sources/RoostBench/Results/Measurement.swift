// SPDX-License-Identifier: Apache-2.0

/// The measurements of one workload on one store, by Roost or by a baseline.
struct Measurement: Codable, Hashable {
  var store: StoreKind
  var workload: String
  /// nil for Roost.
  var baseline: Baseline?
  /// `ms` or `ns` per operation, or `MB`.
  var unit: String
  /// One value per round.
  var values: [Double]
  /// The checksum of the work; equal for Roost and all baselines.
  var checksum: Checksum?

  var spread: Spread? { Spread(values) }
  var key: Key { Key(store: store, workload: workload, baseline: baseline) }

  struct Key: Hashable {
    var store: StoreKind
    var workload: String
    var baseline: Baseline?
  }
}
