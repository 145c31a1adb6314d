// SPDX-License-Identifier: Apache-2.0

import Roost

/// The counters of a workload: store requests and allocations. They are the same in every run, so they can be checked
/// against thresholds automatically.
struct WorkloadCounters: Codable, Hashable {
  /// Requests that went to the store.
  var roundTrips: Int
  /// Statements or scans that the store ran, as far as it reports them.
  var statements: Int
  /// Rows that came from the store.
  var rows: Int
  /// Allocations of one operation.
  var allocations: Double
  /// Bytes that one operation allocated.
  var bytes: Double
  /// Bytes of an object in the store's files, after W1; nil elsewhere.
  var storedBytes: Double?

  init(_ meter: Meter, operations: Int) {
    roundTrips = meter.counters.roundTrips
    statements = meter.counters.statements
    rows = meter.counters.rows
    allocations = Self.rounded(Double(meter.allocations.count) / Double(operations))
    bytes = Self.rounded(Double(meter.allocations.bytes) / Double(operations))
  }

  init(
    roundTrips: Int, statements: Int, rows: Int, allocations: Double, bytes: Double,
    storedBytes: Double? = nil
  ) {
    self.roundTrips = roundTrips
    self.statements = statements
    self.rows = rows
    self.allocations = allocations
    self.bytes = bytes
    self.storedBytes = storedBytes
  }

  static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
