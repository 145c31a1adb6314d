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
  private let counting: Counting
  private let clock = ContinuousClock()

  /// What is counted beside the time.
  enum Counting {
    case nothing
    case allocations
    /// By callgrind, which keeps the sum.
    case instructions
  }

  init(counting: Counting = .nothing) {
    self.counting = counting
  }

  func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = counting == .allocations ? AllocationCounter.start() : Allocations()
    let start = clock.now
    if counting == .instructions { InstructionCounter.start() }
    defer {
      if counting == .instructions { InstructionCounter.stop() }
      duration += clock.now - start
      if counting == .allocations { allocations += AllocationCounter.stop(since: before) }
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
