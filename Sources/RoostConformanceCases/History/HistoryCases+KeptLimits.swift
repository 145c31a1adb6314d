// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

extension HistoryCases {
  static let keptLimits: [ConformanceCase] = [
    ConformanceCase(
      .history, "retention-kept", "a store keeps its limits for programs that set none (H13)",
      needs: [.history, .secondHandle]
    ) { stage in
      var plain = try stage.makeStore()
      try plain.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      var limited = plain
      let model = model()
      func open(_ store: PersistentStoreDescription) throws -> ConformanceStack {
        let stack = try stage.open(model, on: [store])
        stack.coordinator.historyTicks.isTrimming = false
        return stack
      }
      let first = try open(plain)
      limited.historyRetention = HistoryRetention(count: 16)
      _ = try open(limited)
      for number in 0..<20 { try first.save("p\(number)") }
      try expectEqual(try HistoryTrimmer.trim(first.coordinator), 0, "it has its own until then")
      let second = try open(plain)
      try expect(try HistoryTrimmer.trim(second.coordinator) > 0, "it has the store's")
      try expectEqual(try first.history().count, 14, "the rest")
      // The metadata of a program do not take the limits away.
      let store = second.coordinator.persistentStores[0]
      var metadata = try second.coordinator.metadata(for: store)
      metadata.userValues["tag"] = .string("green")
      try second.coordinator.setMetadata(metadata, for: store)
      try second.save("tagged")
      let again = try open(plain)
      for number in 0..<20 { try again.save("r\(number)") }
      try expect(try HistoryTrimmer.trim(again.coordinator) > 0, "it has the store's, too")
      limited.historyRetention = .unlimited
      let third = try open(limited)
      for number in 0..<20 { try third.save("q\(number)") }
      try expectEqual(try HistoryTrimmer.trim(third.coordinator), 0, "it has set others")
      let fourth = try open(plain)
      try expectEqual(try HistoryTrimmer.trim(fourth.coordinator), 0, "and these are kept")
      limited.options[HistoryLimits.option] = HistoryLimits.unchanged
      _ = try open(limited)
      let fifth = try open(plain)
      fifth.coordinator.historyTicks.clock = { Date.now.timeIntervalSinceReferenceDate + 1e9 }
      try expectEqual(try HistoryTrimmer.trim(fifth.coordinator), 0, "also by who changes none")
    }
  ]
}
