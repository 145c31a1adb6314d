// SPDX-License-Identifier: Apache-2.0

import FaultShim
import Foundation
import Roost
import RoostSimulation

/// Makes the system clock jump by years, forwards and backwards, while contexts save and read: nothing may depend on
/// it.
struct ClockJumps {
  let kind: StoreKind
  let steps: Int64
  let seed: UInt64

  func run() throws {
    try WatchedFolder.with { folder in
      defer { fault_set_clock_offset(0) }
      var random = SplitMix64(seed: seed)
      let now = Date()
      var largest: TimeInterval = 0
      var bank = try Bank(kind.description(in: folder))
      for step in 0..<steps {
        fault_set_clock_offset(.random(in: -315_360_000...315_360_000, using: &random))
        largest = max(largest, abs(Date().timeIntervalSince(now)))
        try bank.step(after: step, bank.container.newBackgroundContext())
        fault_set_clock_offset(.random(in: -315_360_000...315_360_000, using: &random))
        _ = try bank.check(step + 1...step + 1)
        guard step % 5 == 4 else { continue }
        bank.close()
        bank = try Bank(kind.description(in: folder))
      }
      bank.close()
      try Finding.require(largest > 1_000_000, "the clock did not jump")
    }
  }
}
