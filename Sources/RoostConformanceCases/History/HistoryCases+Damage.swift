// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostStore
import Synchronization

/// Histories with a transaction that cannot be read.
extension HistoryCases {
  static let damage: [ConformanceCase] = [
    damaged(
      "damaged-size", "damage does not stop the trimming to a number (H13)",
      .init(days: 30, count: 16)
    ) {
      stack, clock, damage in
      for number in 0..<20 { try stack.save("p\(number)") }
      damage.isThere = true
      try expect(try HistoryTrimmer.trim(stack.coordinator) > 0, "a step")
      damage.isThere = false
      try expect(try stack.history().count <= 16, "it is trimmed")
    },
    damaged("damaged-days", "damage does not stop the trimming by age (H13)", .init(days: 30)) {
      stack, clock, damage in
      for number in 0..<5 { try stack.save("p\(number)") }
      damage.isThere = true
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 0, "nothing is old")
      clock.pass(days: 31)
      try expect(try HistoryTrimmer.trim(stack.coordinator) > 0, "a step")
      damage.isThere = false
      try expectEqual(try stack.history().count, 0, "what is too old is removed")
    },
    damaged(
      "damaged-consumer", "nor does a silent consumer that cannot read on (H12, H13)",
      .init(days: 30)
    ) { stack, clock, damage in
      _ = try stack.coordinator.consumer(named: "silent")
      for number in 0..<5 { try stack.save("p\(number)") }
      clock.pass(days: 62)
      damage.isThere = true
      try expect(try HistoryTrimmer.trim(stack.coordinator) > 0, "a step")
      damage.isThere = false
      try expectEqual(try stack.history().count, 0, "what is too old is removed")
    },
  ]

  private static func damaged(
    _ name: String, _ title: String, _ retention: HistoryRetention,
    _ body: @escaping @Sendable (ConformanceStack, HistoryClock, Damage) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.history, name, title, needs: [.history]) { stage in
      let damage = Damage()
      var store = try stage.makeStore().forwarded { DamagedStore($0, damage) }
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      store.historyRetention = retention
      let stack = try stage.open(model(), on: [store])
      stack.coordinator.historyTicks.isTrimming = false
      try body(stack, HistoryClock(stack.coordinator), damage)
    }
  }
}

/// Decides whether the transactions of a store can be read.
private final class Damage: Sendable {
  private let state = Mutex(false)

  var isThere: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// A store whose history has a damaged transaction at its beginning.
private final class DamagedStore: ForwardingStore, @unchecked Sendable {
  // Sendable: constant.
  private let damage: Damage

  init(_ base: any PersistentStore, _ damage: Damage) {
    self.damage = damage
    super.init(base)
  }

  override var history: (any StoreHistory)? {
    base.history.map { DamagedHistory(base: $0, damage: damage) }
  }
}

private struct DamagedHistory: StoreHistory {
  let base: any StoreHistory
  let damage: Damage

  func position() throws -> StorePosition { try base.position() }

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    guard !damage.isThere else {
      throw PersistenceError(.corruptStore, "Transaction 1 of the store's history cannot be read.")
    }
    return try base.transactions(after: position, limit: limit)
  }

  func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize {
    try base.deleteTransactions(deletion)
  }

  func size() throws -> HistorySize { try base.size() }

  func bookmarks() throws -> HistoryBookmarks { try base.bookmarks() }

  func changeBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws {
    try base.changeBookmarks(change)
  }
}
