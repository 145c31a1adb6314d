// SPDX-License-Identifier: Apache-2.0

import Roost

/// Measures the parts of a workload that count: what it does before and after is preparation and proof.
final class Meter {
  /// The time of all measured parts.
  private(set) var duration = Duration.zero
  /// What the measured parts allocated; zeros unless it was asked for.
  private(set) var allocations = Allocations()
  /// What the measured parts asked of stores.
  var counters = StoreCounters()
  private let countsAllocations: Bool
  private let clock = ContinuousClock()

  init(countsAllocations: Bool = false) {
    self.countsAllocations = countsAllocations
  }

  func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = countsAllocations ? AllocationCounter.start() : Allocations()
    let start = clock.now
    defer {
      duration += clock.now - start
      if countsAllocations { allocations += AllocationCounter.stop(since: before) }
    }
    return try body()
  }

  var milliseconds: Double { duration.milliseconds }
}

extension Duration {
  var milliseconds: Double {
    Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
  }

  var seconds: Double { milliseconds / 1e3 }
}
