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
    damaged(
      "damaged-skip", "a consumer passes over exactly what is damaged, and hears of it (H12, H34)",
      .unlimited
    ) { stack, _, damage in
      for number in 0..<9 { try stack.save("p\(number)") }
      let all = try stack.history()
      let numbers = all.map(\.transactionNumber)
      damage.numbers = [numbers[2], numbers[3], numbers[6]]
      let consumer = try stack.coordinator.consumer(named: "hurt")
      let wanted = [
        "\(numbers[0])", "\(numbers[1])", "without \(numbers[2...3])", "\(numbers[4])",
        "\(numbers[5])", "without [\(numbers[6])]", "\(numbers[7])", "\(numbers[8])",
      ]
      let events = try read(consumer, wanted.count)
      try expectEqual(events.map(described), wanted, "all but the damaged ones")
      damage.numbers = []
      try expectEqual(
        try stack.history(after: events[2].token).map(\.transactionNumber),
        Array(numbers[4...]), "the token of the first gap leads to what follows")
      damage.numbers = [numbers[2], numbers[3], numbers[6]]
      // Acknowledged, it is not repeated.
      try consumer.acknowledge(events[2])
      try expectEqual(try read(consumer, 5).map(described), Array(wanted[3...]), "after the gap")
      try consumer.acknowledge(try require(events.last, "the last one"))
      try stack.save("later")
      try expect(!(try described(read(consumer, 1)[0])).hasPrefix("without"), "and it goes on")
    },
    damaged(
      "damaged-chain",
      "where more than a content is damaged, a consumer goes on from now (H10, H12)",
      .unlimited
    ) { stack, _, damage in
      for number in 0..<4 { try stack.save("p\(number)") }
      let numbers = try stack.history().map(\.transactionNumber)
      damage.numbers = [numbers[1]]
      damage.breaksSteps = true
      let consumer = try stack.coordinator.consumer(named: "hurt")
      let events = try read(consumer, 2)
      try expectEqual(events.map(described), ["\(numbers[0])", "reset"])
      try expectEqual(try stack.history(after: events[1].token).count, 0, "it goes on from now")
    },
    company("steps", "the way past a transaction ends where the transaction ends (H8, H34)") {
      stack in
      for number in 0..<5 { try stack.save("p\(number)") }
      let history = try require(stack.coordinator.persistentStores[0].history, "the history")
      var position: StorePosition?
      for transaction in try history.transactions(after: nil, limit: nil) {
        let step = try require(try history.step(after: position), "a step")
        try expectEqual(step.number, transaction.number)
        try expectEqual(
          try history.transactions(after: step.position, limit: nil).map(\.number),
          try history.transactions(after: transaction.position, limit: nil).map(\.number))
        position = step.position
      }
      try expectEqual(try history.step(after: position), nil, "there is no more")
    },
  ]

  /// Describes an event: the number of a transaction, a reset, or the transactions that are skipped.
  private static func described(_ event: HistoryEvent) -> String {
    switch event {
    case .transaction(let transaction): "\(transaction.transactionNumber)"
    case .reset(let reset) where reset.damagedTransactions.isEmpty: "reset"
    case .reset(let reset): "without \(reset.damagedTransactions)"
    }
  }

  private static func read(_ consumer: HistoryConsumer, _ count: Int) throws -> [HistoryEvent] {
    let reading = Reading(consumer.events) { $0 }
    defer { reading.cancel() }
    try wait("\(count) events") { reading.count >= count || reading.isOver }
    try expect(reading.error == nil, "the events end with \(reading.error as Any)")
    return reading.found
  }

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
  private let state = Mutex<(isThere: Bool, numbers: Set<Int64>, breaksSteps: Bool)>(
    (false, [], false))

  /// Whether nothing can be read.
  var isThere: Bool {
    get { state.withLock { $0.isThere } }
    set { state.withLock { $0.isThere = newValue } }
  }
  /// The numbers of the transactions whose content is damaged.
  var numbers: Set<Int64> {
    get { state.withLock { $0.numbers } }
    set { state.withLock { $0.numbers = newValue } }
  }
  /// Whether nothing leads past a damaged transaction.
  var breaksSteps: Bool {
    get { state.withLock { $0.breaksSteps } }
    set { state.withLock { $0.breaksSteps = newValue } }
  }

  func check(_ numbers: [Int64]) throws {
    guard let number = isThere ? 1 : numbers.first(where: self.numbers.contains) else { return }
    throw PersistenceError(
      .corruptStore, "Transaction \(number) of the store's history cannot be read.")
  }
}

/// A store whose history has damaged transactions.
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

private struct DamagedHistory: ForwardingHistory {
  let base: any StoreHistory
  let damage: Damage

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    try damage.check([])
    let found = try base.transactions(after: position, limit: limit)
    try damage.check(found.map(\.number))
    return found
  }

  func step(after position: StorePosition?) throws -> HistoryStep? {
    let step = try base.step(after: position)
    if damage.breaksSteps { try damage.check(step.map { [$0.number] } ?? []) }
    return step
  }
}
