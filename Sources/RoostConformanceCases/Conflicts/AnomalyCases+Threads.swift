// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import Synchronization

extension AnomalyCases {
  static let threads: [ConformanceCase] = [
    anomalies("threads", "contexts on threads have no forbidden anomaly (G0, G1, P4; B176)", false),
    anomalies(
      "threads-checked", "contexts that check what they read have none at all (G-single, G2; B174)",
      true),
    race(
      "unique-race", "of contexts on threads that want a unique value one gets it (B190)",
      needs: [.uniqueness], coordinators: false),
    race(
      "unique-race-coordinators", "of coordinators that want a unique value one gets it (B190)",
      needs: [.uniqueness, .secondHandle], coordinators: true),
    sideBySide, transfers,
  ]

  /// One save is held up in front of its store, as by a slow network; another one does not wait for it.
  private static let sideBySide = ConformanceCase(
    .conflicts, "side-by-side", "a save does not wait for another save of its store (B175)"
  ) { stage in
    let (stack, faults) = try stage.openFaulty(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    let coordinator = stack.coordinator
    let overtaking = Mutex<(any Error)?>(nil)
    faults.interrupt(.commit) {
      do {
        try Threads.run(1) { _ in
          let other = ManagedObjectContext(.privateQueue, coordinator: coordinator)
          try other.named("Person", "Bob").set("age", 41)
          try other.save()
        }
      } catch {
        overtaking.withLock { $0 = error }
      }
    }
    try stack.context.named("Person", "Ada").set("age", 40)
    try stack.context.save()
    if let error = overtaking.withLock({ $0 }) { throw error }
    try expectEqual(try stack.storedNumber("age", ofPerson: "Ada"), 40)
    try expectEqual(try stack.storedNumber("age", ofPerson: "Bob"), 41)
  }

  /// Writers move values between records, and every fetch of all records finds the same sum (B363).
  private static let transfers = ConformanceCase(
    .conflicts, "transfers", "what a fetch shows adds up while others save (B363)"
  ) { stage in
    let stack = try stage.open(CompanyModel.make())
    for number in 0..<8 { try stack.context.make("Person", ["name": "\(number)", "age": 100]) }
    try stack.context.save()
    let coordinator = stack.coordinator
    try Threads.run(6) { worker in
      var random = SplitMix64(seed: UInt64(worker) + 1)
      for round in 0..<25 {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        if worker < 3 {
          let (from, to) = (random.below(8), random.below(8))
          guard from != to else { continue }
          let (payer, payee) = (
            try context.named("Person", "\(from)"), try context.named("Person", "\(to)")
          )
          try payer.set("age", (try payer.number("age") ?? 0) - 1)
          try payee.set("age", (try payee.number("age") ?? 0) + 1)
          do {
            try context.save()
          } catch let error as PersistenceError where error.code == .managedObjectMerge {}
        } else {
          let asked = FetchRequest<ManagedObject>(entityName: "Person")
          asked.returnsObjectsAsFaults = round % 2 == 0
          let ages = try context.fetch(asked).map { try $0.number("age") ?? 0 }
          try expectEqual(ages.reduce(0, +), 800, "the sum of \(ages)")
        }
      }
    }
  }

  private static func anomalies(
    _ name: String, _ title: String, _ isChecked: Bool
  ) -> ConformanceCase {
    ConformanceCase(.conflicts, name, title) { stage in
      let stack = try stage.open(ListWorkload.makeModel())
      try ListWorkload.prepare(stack.context)
      let coordinator = stack.coordinator
      let history = HistoryBook()
      try Threads.run(8) { worker in
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try ListWorkload(worker: worker, count: 12, isChecked: isChecked)
          .run(context) { history.note($0) }
      }
      let transactions = history.transactions
      try expectEqual(transactions.count, 96, "the transactions")
      let committed = transactions.count { $0.outcome == .committed }
      try expect(committed > 0, "some are committed")
      let check = ListHistoryCheck(transactions, final: try ListWorkload.lists(stack.context))
      let forbidden = isChecked ? Set(Anomaly.allCases) : Anomaly.alwaysForbidden
      let found = check.found.filter { forbidden.contains($0.key) }
      try expect(found.isEmpty, "no anomaly: \(found) in \(transactions)")
    }
  }

  private static func race(
    _ name: String, _ title: String, needs: Set<ConformanceFacet>, coordinators: Bool
  ) -> ConformanceCase {
    ConformanceCase(.conflicts, name, title, needs: needs) { stage in
      let stack = try stage.open(ListWorkload.makeModel(isUnique: true))
      let others = try (0..<7).map { _ in
        coordinators ? try stage.open(stack.model, on: stack.stores).coordinator : stack.coordinator
      }
      let all = [stack.coordinator] + others
      let history = HistoryBook()
      try Threads.run(8) { worker in
        let context = ManagedObjectContext(.privateQueue, coordinator: all[worker])
        for value in 0..<12 {
          let mine = try context.make("Register", ["name": "\(value)", "list": "\(worker)"])
          do {
            try context.save()
            history.note(ListTransaction(appends: [.init(worker, value)]))
          } catch let error as PersistenceError where error.code == .managedObjectConstraintMerge {
            context.delete(mine)
          }
        }
      }
      let wins = history.transactions.flatMap(\.appends)
      try expectEqual(wins.map(\.value).sorted(), Array(0..<12), "the values that were won")
      for win in wins {
        let context = stack.makeContext()
        try withExtendedLifetime(context) {
          try expectEqual(
            try context.owner("\(win.value)"), "\(win.key)", "the winner of \(win.value)")
        }
      }
    }
  }
}

extension ManagedObjectContext {
  /// The list of a register as text, read again.
  fileprivate func owner(_ name: String) throws -> String? {
    stalenessInterval = 0
    return try named("Register", name).text("list")
  }
}

/// Transactions that several threads note.
private final class HistoryBook: Sendable {
  private let pages = Mutex<[ListTransaction]>([])

  func note(_ transaction: ListTransaction) {
    pages.withLock { $0.append(transaction) }
  }

  var transactions: [ListTransaction] { pages.withLock { $0 } }
}
