// SPDX-License-Identifier: Apache-2.0

/// The memory measurements; each runs in a separate process, because its figure is the process's peak memory.
enum MemoryWork: String, CaseIterable {
  /// W2 with all objects held.
  case hold = "M2"
  /// All objects, a thousand at a time, none held.
  case walk = "M3"

  var title: String {
    switch self {
    case .hold: "memory that W2 takes with all objects held"
    case .walk: "memory of reading all objects, 1,000 at a time"
    }
  }

  /// The baseline of the ratio.
  var baseline: Baseline { self == .hold ? .keeping : .raw }

  /// The highest ratio that performance.md allows.
  func goal(_ store: StoreKind) -> Goal? {
    guard self == .hold else { return nil }
    switch store {
    case .sqlite: return Goal(1.4, to: .keeping)
    case .postgresql: return Goal(1.0, to: .keeping)
    case .lmdb, .memory: return Goal(1.3, to: .keeping)
    }
  }
}
