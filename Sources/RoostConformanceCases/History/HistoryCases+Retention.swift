// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Synchronization

extension HistoryCases {
  static let retention: [ConformanceCase] = [
    keeping("retention-days", "what is too old is removed (H13)", HistoryRetention(days: 30)) {
      stack in
      let clock = HistoryClock(stack.coordinator)
      for number in 0..<10 {
        try stack.save("p\(number)")
        clock.pass(days: 5)
      }
      // Ten saves, five days apart, and now it is day 50.
      _ = try HistoryTrimmer.trim(stack.coordinator)
      let rest = try stack.history()
      let oldest = try require(rest.first, "the oldest").timestamp.timeIntervalSinceReferenceDate
      try expect(oldest >= clock.now - 30 * 86_400, "nothing is older than 30 days")
      try expectEqual(rest.count, 6, "the transactions")
      clock.pass(days: 100)
      _ = try HistoryTrimmer.trim(stack.coordinator)
      try expectEqual(try stack.history().count, 0, "then all are")
      try stack.save("later")
      try expectEqual(try stack.history().count, 1)
    },
    keeping("retention-count", "what is too many is removed (H13)", HistoryRetention(count: 16)) {
      stack in
      for number in 0..<16 { try stack.save("p\(number)") }
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 0, "not too many")
      try stack.save("one more")
      let all = try stack.history().map(\.transactionNumber)
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 1, "the steps")
      try expectEqual(try stack.history().map(\.transactionNumber), all.suffix(14), "the rest")
    },
    keeping("retention-bytes", "what is too much is removed (H13)", HistoryRetention(bytes: 4_096))
    {
      stack in
      for _ in 0..<40 {
        stack.context.transactionAuthor = String(repeating: "a", count: 200)
        try stack.context.make("Person", ["name": "p"])
        try stack.context.save()
      }
      let before = try stack.history()
      let history = try require(stack.coordinator.persistentStores[0].history, "the history")
      try expect(try history.size().bytes > 4_096, "it is too much")
      _ = try HistoryTrimmer.trim(stack.coordinator)
      let size = try history.size()
      try expect(size.bytes <= 4_096, "it is little enough: \(size.bytes)")
      try expect(size.bytes > 3_000, "and no more is removed than has to be: \(size.bytes)")
      let numbers = before.map(\.transactionNumber).suffix(size.count)
      try expectEqual(try stack.history().map(\.transactionNumber), Array(numbers), "the latest")
    },
    keeping(
      "retention-last", "the last one stays, whatever it is (H13)", HistoryRetention(bytes: 1)
    ) {
      stack in
      for number in 0..<5 { try stack.save("p\(number)") }
      let last = try stack.history().last?.transactionNumber
      _ = try HistoryTrimmer.trim(stack.coordinator)
      try expectEqual(try stack.history().map { Optional($0.transactionNumber) }, [last])
    },
    keeping("retention-steps", "a step removes 100 at most (H13)", HistoryRetention(days: 1)) {
      stack in
      let clock = HistoryClock(stack.coordinator)
      for number in 0..<230 { try stack.save("p\(number)") }
      clock.pass(days: 2)
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 3, "the steps")
      try expectEqual(try stack.history().count, 0)
    },
    keeping(
      "retention-itself", "it is trimmed after commits, and not in them (H13)",
      HistoryRetention(count: 10)
    ) { stack in
      stack.coordinator.historyTicks.isTrimming = true
      // The first commit begins, and then every 64th.
      for number in 0..<100 { try stack.save("p\(number)") }
      try wait("a step") { HistoryTrimmer.steps(in: stack.coordinator) > 0 }
      try wait("it is trimmed") { try stack.history().count < 100 }
    },
    keeping(
      "retention-consumer", "what a consumer has not acknowledged is kept for 30 days (H12, H13)",
      HistoryRetention(days: 1, count: 2)
    ) { stack in
      let clock = HistoryClock(stack.coordinator)
      let consumer = try stack.coordinator.consumer(named: "slow")
      for number in 0..<10 { try stack.save("p\(number)") }
      clock.pass(days: 10)
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 0, "nothing acknowledged")
      let all = try stack.history()
      try consumer.acknowledge(all[3])
      _ = try HistoryTrimmer.trim(stack.coordinator)
      try expectEqual(try stack.history().count, 6, "up to the acknowledgement")
      clock.pass(days: 31)
      _ = try HistoryTrimmer.trim(stack.coordinator)
      try expectEqual(try stack.history().count, 0, "silent for too long")
    },
    keeping("retention-counted", "what is counted already is not counted again (H13)", .unlimited) {
      stack in
      let history = try require(stack.coordinator.persistentStores[0].history, "the history")
      func expectSame(_ size: HistorySize?, _ other: HistorySize, _ what: String) throws {
        try expectEqual(
          [size?.count, size?.bytes, size?.generation.map(Int.init)],
          [other.count, other.bytes, other.generation.map(Int.init)], what)
      }
      for number in 0..<5 { try stack.save("p\(number)") }
      var some = try history.size()
      try expectEqual(some.count, 5, "the transactions")
      try expectSame(try history.size(since: some), some, "nothing came later")
      for number in 5..<8 { try stack.save("p\(number)") }
      let all = try history.size()
      try expectSame(try history.size(since: some), all, "what came later is added")
      // A wrong answer shows what is counted again.
      some.count += 1_000
      try expectEqual(try history.size(since: some).count, 1_008, "the first five are not")
      let bound = try history.transactions(after: nil, limit: 3)[2].position
      let removed = try history.deleteTransactions(HistoryDeletion(before: .position(bound)))
      try expectEqual(removed.count, 2, "the deleted transactions")
      let rest = try history.size()
      try expectEqual(rest.count, 6, "the others")
      try expectSame(try history.size(since: some), rest, "all are, after a deletion")
      try expectSame(all.without(removed), rest, "what was deleted is subtracted")
      try stack.save("p8")
      let counted = try history.size(since: all.without(removed))
      try expectSame(counted, try history.size(), "and counting continues")
    },
    keeping("retention-none", "without limits all is kept (H13)", .unlimited) { stack in
      let clock = HistoryClock(stack.coordinator)
      for number in 0..<5 { try stack.save("p\(number)") }
      clock.pass(days: 10_000)
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 0)
      try expectEqual(try stack.history().count, 5)
    },
    ConformanceCase(
      .history, "retention-held", "what a consumer holds back is not asked for again (H12, H13)",
      needs: [.history]
    ) { stage in
      let rival = Rival()
      let stack = try contested(stage, rival, HistoryRetention(count: 2))
      let consumer = try stack.coordinator.consumer(named: "slow")
      for number in 0..<10 { try stack.save("p\(number)") }
      try consumer.acknowledge(try stack.history()[3])
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 1, "the steps")
      let history = try require(stack.coordinator.persistentStores[0].history, "the history")
      let (generation, deletions) = (try history.size().generation, rival.deletions)
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 0, "nothing more")
      try expectEqual(try stack.history().count, 6, "up to the acknowledgement")
      try expectEqual(rival.deletions, deletions + 1, "the store was asked once")
      try expectEqual(try history.size().generation, generation, "nothing was removed")
    },
    beside("retention-beside-count", HistoryRetention(count: 16)),
    beside("retention-beside-bytes", HistoryRetention(bytes: 4_096)),
    company("retention-standard", "without a word it is 30 days (H13)") { stack in
      stack.coordinator.historyTicks.isTrimming = false
      let clock = HistoryClock(stack.coordinator)
      try stack.save("Ada")
      clock.pass(days: 29)
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 0)
      clock.pass(days: 2)
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 1)
      try expectEqual(HistoryRetention.standard.days, 30)
      try expectEqual(HistoryRetention.standard.bytes, 64 << 20)
    },
    ConformanceCase(
      .history, "retention-refused", "a limit that is none is refused, and no store is added (H13)"
    ) { stage in
      var store = try stage.makeStore()
      let wrong: [MetadataValue] = [
        .boolean(true), .integer(5), .dictionary([:]), .dictionary(["days": .integer(0)]),
        .dictionary(["count": .integer(-1)]), .dictionary(["bytes": .double(1)]),
        .dictionary(["years": .integer(1)]), .dictionary(["days": .double(.infinity)]),
      ]
      for value in wrong {
        try expectError(.invalidValue, "the option \(value)") {
          try store.setOption(value, forKey: StoreOption.historyRetention)
        }
        var other = store
        other.options[StoreOption.historyRetention] = value
        try expectError(.invalidValue, "the store with \(value)") {
          _ = try stage.open(model(), on: [other])
        }
      }
      store.historyRetention = HistoryRetention(days: 0.5, count: 7)
      try expectEqual(store.historyRetention, HistoryRetention(days: 0.5, count: 7))
    },
  ]

  /// A case in which another process trims between the count and the deletion.
  private static func beside(_ name: String, _ retention: HistoryRetention) -> ConformanceCase {
    ConformanceCase(
      .history, name, "two that trim at once remove no more than one does (H13)", needs: [.history]
    ) { stage in
      let rival = Rival()
      let stack = try contested(stage, rival, retention)
      stack.context.transactionAuthor = String(repeating: "a", count: 100)
      for number in 0..<40 { try stack.save("p\(number)") }
      // The rival leaves the same transactions that a single trimmer would leave.
      rival.waits = true
      try expectEqual(try HistoryTrimmer.trim(stack.coordinator), 0, "the steps")
      let rest = try require(rival.rest, "what the other one has left")
      try expectEqual(try stack.history().map(\.transactionNumber), rest, "the rest")
      try expect(rest.count > 10, "it is no little")
    }
  }

  /// Opens a store from whose history another process may delete, too.
  private static func contested(
    _ stage: ConformanceStage, _ rival: Rival, _ retention: HistoryRetention
  ) throws -> ConformanceStack {
    var store = try stage.makeStore().forwarded { ContestedStore($0, rival) }
    try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
    store.historyRetention = retention
    let stack = try stage.open(model(), on: [store])
    stack.coordinator.historyTicks.isTrimming = false
    return stack
  }

  /// A case on a store of people that keeps so much of its history.
  private static func keeping(
    _ name: String, _ title: String, _ retention: HistoryRetention,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.history, name, title, needs: [.history]) { stage in
      var store = try stage.makeStore()
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      store.historyRetention = retention
      let stack = try stage.open(model(), on: [store])
      stack.coordinator.historyTicks.isTrimming = false
      try body(stack)
    }
  }
}

/// The clock of a coordinator's histories, which advances only on request.
final class HistoryClock: Sendable {
  private let seconds = Mutex(Date.now.timeIntervalSinceReferenceDate)

  init(_ coordinator: PersistentStoreCoordinator) {
    coordinator.historyTicks.clock = { [self] in now }
  }

  var now: Double { seconds.withLock { $0 } }

  func pass(days: Double) {
    seconds.withLock { $0 += days * 86_400 }
  }
}

/// Another process that trims a history, right after it was counted, to the same rest.
private final class Rival: Sendable {
  private let state = Mutex<(waits: Bool, rest: [Int64]?, deletions: Int)>((false, nil, 0))

  /// Whether it waits for the history to be counted.
  var waits: Bool {
    get { state.withLock { $0.waits } }
    set { state.withLock { $0.waits = newValue } }
  }
  /// The numbers of the transactions that it has left.
  var rest: [Int64]? { state.withLock { $0.rest } }
  /// The number of deletions that this process has requested.
  var deletions: Int { state.withLock { $0.deletions } }

  /// Runs the deletion that this process has just decided on before it does so itself.
  func overtake(_ deletion: HistoryDeletion, in history: any StoreHistory) throws {
    let isDue = state.withLock { state in
      state.deletions += 1
      defer { state.waits = false }
      return state.waits
    }
    guard isDue else { return }
    _ = try history.deleteTransactions(deletion)
    let rest = try history.transactions(after: nil, limit: nil).map(\.number)
    state.withLock { $0.rest = rest }
  }
}

/// A store from whose history another process deletes, too.
private final class ContestedStore: ForwardingStore, @unchecked Sendable {
  // Sendable: constant.
  private let rival: Rival

  init(_ base: any PersistentStore, _ rival: Rival) {
    self.rival = rival
    super.init(base)
  }

  override var history: (any StoreHistory)? {
    base.history.map { ContestedHistory(base: $0, rival: rival) }
  }
}

private struct ContestedHistory: ForwardingHistory {
  let base: any StoreHistory
  let rival: Rival

  func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize {
    try rival.overtake(deletion, in: base)
    return try base.deleteTransactions(deletion)
  }
}
