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
  static let requests: [ConformanceCase] = [
    company("by-time", "after a moment comes what is later, whatever its limit (H14, B285)") {
      stack in
      let start = Date.now.timeIntervalSinceReferenceDate
      let seconds = Mutex(start)
      stack.coordinator.historyTicks.clock = { seconds.withLock { $0 } }
      // Two transactions for each timestamp, and one with the clock set back.
      for number in 0..<12 {
        seconds.withLock { $0 = start + Double(number / 2) * 10 - (number == 7 ? 25 : 0) }
        try stack.save("p\(number)")
      }
      let all = try stack.history()
      for offset in stride(from: -5.0, through: 60, by: 5) {
        let date = Date(timeIntervalSinceReferenceDate: start + offset)
        let later = all.filter { $0.timestamp > date }.map(\.transactionNumber)
        for limit in [0, 1, 3] {
          let request = PersistentHistoryChangeRequest.fetchHistory(after: date)
          request.fetchLimit = limit
          let found = try stack.context.execute(request).transactions ?? []
          let wanted = limit == 0 ? later : Array(later.prefix(limit))
          try expectEqual(found.map(\.transactionNumber), wanted, "after \(offset) s, \(limit)")
          for transaction in found {
            let rest = all.filter { $0.transactionNumber > transaction.transactionNumber }
            try expectEqual(
              try stack.history(after: transaction.token).map(\.transactionNumber),
              rest.map(\.transactionNumber), "its token leads on")
          }
        }
      }
    },
    ConformanceCase(
      .history, "stores-of-fetch", "stores of a request and of its fetch request hold both (H14)",
      needs: [.history]
    ) { stage in
      let stores = try (0..<3).map { _ in
        var store = try stage.makeStore()
        try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
        return store
      }
      let stack = try stage.open(model(), on: stores)
      for store in stack.coordinator.persistentStores {
        try stack.context.assign(try stack.context.make("Person", ["name": "Ada"]), to: store)
      }
      try stack.context.save()
      let all = stack.coordinator.persistentStores.map(\.identity.identifier)
      let choices: [[Int]?] = [nil, [], [0], [1, 2], [0, 1, 2]]
      for first in choices {
        for second in choices {
          let request = PersistentHistoryChangeRequest.fetchHistory(
            after: nil as PersistentHistoryToken?)
          request.affectedStoreIdentifiers = first?.map { all[$0] }
          let fetch = PersistentHistoryTransaction.fetchRequest
          fetch.affectedStoreIdentifiers = second?.map { all[$0] }
          request.fetchRequest = fetch
          let both = Set(first ?? [0, 1, 2]).intersection(second ?? [0, 1, 2])
          let found = try stack.context.execute(request).transactions ?? []
          try expectEqual(
            Set(found.map(\.storeID)), Set(both.map { all[$0] }),
            "\(String(describing: first)) and \(String(describing: second))")
        }
      }
    },
    company("by-time-trimmed", "a moment from before what is kept is no error (H14, B285)") {
      stack in
      for number in 0..<5 { try stack.save("p\(number)") }
      let all = try stack.history()
      _ = try stack.deleteHistory(before: all[3].token)
      let request = PersistentHistoryChangeRequest.fetchHistory(
        after: all[0].timestamp.addingTimeInterval(-100))
      try expectEqual(
        try stack.context.execute(request).transactions?.map(\.transactionNumber),
        all[3...].map(\.transactionNumber))
      let late = PersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
      try stack.context.execute(late)
      try expectEqual(try stack.context.execute(request).transactions?.count, 0)
    },
  ]
}
