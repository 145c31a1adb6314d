// SPDX-License-Identifier: Apache-2.0

/// What was measured of one workload on one store, on one side.
struct Measurement: Codable, Hashable {
  var store: StoreKind
  var workload: String
  /// nil for Roost.
  var baseline: Baseline?
  /// `ms` an operation, or `MB`.
  var unit: String
  /// One value a round.
  var values: [Double]
  /// What the work came to; equal on all sides.
  var checksum: Checksum?

  var spread: Spread? { Spread(values) }
  var key: Key { Key(store: store, workload: workload, baseline: baseline) }

  struct Key: Hashable {
    var store: StoreKind
    var workload: String
    var baseline: Baseline?
  }
}
