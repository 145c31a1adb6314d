// SPDX-License-Identifier: Apache-2.0

import Roost

/// What some saves ask of their stores: the same in every run.
struct SaveCost: Hashable {
  var statements: Int
  var roundTrips: Int
  /// Flushes of files of this process.
  var flushes: Int

  /// Counts what a body asks of some stores.
  init(of stores: StoresTogether, _ body: () throws -> Void) throws {
    let (before, written) = (stores.coordinator.counters, Flushes.count)
    try body()
    let counters = stores.coordinator.counters - before
    statements = counters.statements
    roundTrips = counters.roundTrips
    flushes = Flushes.count - written
  }
}
