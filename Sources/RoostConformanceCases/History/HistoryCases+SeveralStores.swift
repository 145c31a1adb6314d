// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Requests for the histories of several stores.
extension HistoryCases {
  static let severalStores: [ConformanceCase] = [
    several("expired-stores", "an expired token names every store that it is too old for (H10)") {
      stack in
      let stores = stack.coordinator.persistentStores
      let token = try stack.token()
      for _ in 0..<2 { for store in stores { try stack.save("p", in: [store]) } }
      try stack.deleteHistory(of: [stores[0], stores[2]])
      let lost = [stores[0], stores[2]].map(\.identity.identifier)
      func expectBoth(_ what: String, _ body: () throws -> Void) throws {
        do {
          try body()
        } catch let error as PersistenceError where error.code == .persistentHistoryTokenExpired {
          try expectEqual(error.affectedStores.sorted(), lost.sorted(), what)
          let listed = (error as NSError).userInfo[PersistenceError.affectedStoresKey]
          try expectEqual((listed as? [String])?.sorted(), lost.sorted(), "\(what), as NSError")
          return
        }
        throw ExpectationFailure(message: "\(what): no error", file: #fileID, line: #line)
      }
      try expectBoth("a request") { _ = try stack.history(after: token) }
      let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
      request.fetchRequest = PersistentHistoryTransaction.fetchRequest
      try expectBoth("a fetch request") { _ = try stack.context.execute(request) }
      try expectBoth("batches") { _ = try stack.context.fetchBatches(request).next() }
      try expectBoth("a merge") { _ = try stack.context.mergeHistory(after: token) }
      let cut = PersistentHistoryChangeRequest.deleteHistory(before: token)
      try expectBoth("a deletion") { _ = try stack.context.execute(cut) }
      let reading = Reading(stack.coordinator.history(after: token)) { $0.storeID }
      try wait("it ends") { reading.isOver }
      try expectEqual(reading.error?.affectedStores.sorted(), lost.sorted(), "a follower")
    },
    several("consumer-stores", "a consumer hears of every store that it lost something of (H10)") {
      stack in
      let stores = stack.coordinator.persistentStores
      let consumer = try stack.coordinator.consumer(named: "late")
      for store in stores { try stack.save("p", in: [store]) }
      try consumer.acknowledge(try stack.token())
      for _ in 0..<2 { for store in stores { try stack.save("p", in: [store]) } }
      try stack.deleteHistory(of: [stores[0], stores[2]])
      let reading = Reading(consumer.events) { event -> String in
        switch event {
        case .transaction(let transaction): "of \(transaction.storeID)"
        case .reset(let reset): "reset \(reset.storeID)"
        }
      }
      defer { reading.cancel() }
      try wait("all events") { reading.count >= 4 || reading.isOver }
      let names = stores.map(\.identity.identifier)
      try expectEqual(
        reading.found.sorted(),
        ["of \(names[1])", "of \(names[1])", "reset \(names[0])", "reset \(names[2])"].sorted())
    },
    several("batches-stores", "the histories of several stores are merged in batches (H8, H17)") {
      stack in
      let stores = stack.coordinator.persistentStores
      for number in 0..<30 {
        switch number % 5 {
        case 0: try stack.save("p", in: stores)
        case 1: try stack.save("p", in: [stores[0], stores[2]])
        default: try stack.save("p", in: [stores[number % 3]])
        }
      }
      let all = try stack.history().map(described)
      for size in [1, 2, 5, 100] {
        let request = PersistentHistoryChangeRequest.fetchHistory(
          after: nil as PersistentHistoryToken?)
        request.fetchBatchSize = size
        try expectEqual(
          try stack.context.execute(request).transactions?.map(described), all, "by \(size)")
        let batches = try stack.context.fetchBatches(request)
        var last: UUID?
        while let batch = try batches.next() {
          // A save is not divided between two batches.
          try expect(last == nil || batch.first?.saveID != last, "in batches of \(size)")
          last = batch.last?.saveID
        }
      }
    },
  ]

  /// A case on three stores of people that keep a history.
  private static func several(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.history, name, title, needs: [.history]) { stage in
      let stores = try (0..<3).map { _ in
        var store = try stage.makeStore()
        try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
        return store
      }
      let stack = try stage.open(model(), on: stores)
      stack.coordinator.historyTicks.isTrimming = false
      try body(stack)
    }
  }
}

extension ConformanceStack {
  /// Saves a new person in each of some stores, in one save.
  fileprivate func save(_ name: String, in stores: [any PersistentStore]) throws {
    for store in stores {
      try context.assign(try context.make("Person", ["name": name]), to: store)
    }
    try context.save()
  }

  /// Deletes the histories of some stores up to their last transactions, whether or not consumers wait for them.
  fileprivate func deleteHistory(of stores: [any PersistentStore]) throws {
    let request = PersistentHistoryChangeRequest.deleteHistory(before: try token())
    request.affectedStores = stores
    request.ignoresConsumers = true
    _ = try context.execute(request)
  }
}
