// SPDX-License-Identifier: Apache-2.0

/// A point of a scale curve: the cost of one operation at a size.
struct CurvePoint: Codable, Hashable {
  var store: StoreKind
  var workload: String
  var objects: Int
  /// The time of one operation: an object of W2, a lookup of W3, a query of W4, a save of W10.
  var microseconds: Double
  /// The same without Roost; nil when the engine has no baseline.
  var baselineMicroseconds: Double?
  /// The memory that W2 adds when all objects are kept; nil for the other workloads.
  var bytes: Int?
  /// The same for plain objects.
  var baselineBytes: Int?
  /// The memory of reading all objects, 1,000 at a time, as a whole.
  var walkedBytes: Int?
}
