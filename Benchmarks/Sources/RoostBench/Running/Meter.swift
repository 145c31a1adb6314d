// SPDX-License-Identifier: Apache-2.0

import Roost

/// Measures the relevant parts of a workload, without its preparation and its verification.
final class Meter {
  /// The time of all measured parts.
  private(set) var duration = Duration.zero
  /// The allocations of the measured parts; zeros unless they are counted.
  private(set) var allocations = Allocations()
  /// The store requests of the measured parts.
  var counters = StoreCounters()
  private let counting: Counting
  private let clock = ContinuousClock()

  /// The counter used in addition to the clock.
  enum Counting {
    case nothing
    case allocations
    /// Instructions, counted by callgrind, which keeps the total.
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
