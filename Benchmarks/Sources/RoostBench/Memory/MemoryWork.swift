// SPDX-License-Identifier: Apache-2.0

/// What is measured in a process of its own, because its figure is the peak of a process's memory.
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

  /// What it is compared with.
  var baseline: Baseline { self == .hold ? .keeping : .raw }

  /// What the ratio is to be at most, by performance.md.
  func goal(_ store: StoreKind) -> Goal? {
    guard self == .hold else { return nil }
    switch store {
    case .sqlite: return Goal(1.4, to: .keeping)
    case .postgresql: return Goal(1.0, to: .keeping)
    case .lmdb, .memory: return Goal(1.3, to: .keeping)
    }
  }
}
