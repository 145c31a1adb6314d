// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore
import Synchronization

/// Following stores that are not reached for a while.
extension HistoryCases {
  static let lost: [ConformanceCase] = [
    lost("follow-lost", "who follows goes on when a store is reached again (H34, L10)") {
      stack, outage in
      try stack.save("Ada")
      let reading = Reading(stack.coordinator.history(after: nil)) { $0.transactionNumber }
      try wait("what is there") { reading.count == 1 }
      for code in [nil, .storeBusy, .persistentStoreTimeout] as [PersistenceError.Code?] {
        let before = outage.failures
        var error = PersistenceError(code ?? .persistentStoreOperation, "The server is away.")
        error.isUnreachable = code == nil
        outage.begin(with: error)
        try stack.save("Bob")
        try wait("it is tried again") { outage.failures >= before + 3 }
        outage.end()
        try stack.save("Cleo")
        try wait("all comes") { try reading.count == stack.history().count }
      }
      try expectEqual(
        reading.found, try stack.history().map(\.transactionNumber), "each once, in their order")
      try expect(!reading.isOver, "it has not ended")
      reading.cancel()
      try wait("it ends") { reading.isOver }
      try expect(reading.error == nil, "without an error")
    },
    lost("follow-lost-consumer", "so does a consumer, also one that begins meanwhile (H34, H12)") {
      stack, outage in
      try stack.save("Ada")
      let indexer = try stack.coordinator.consumer(named: "indexer")
      var error = PersistenceError(.persistentStoreOperation, "The server is away.")
      error.isUnreachable = true
      outage.begin(with: error)
      let reading = Reading(indexer.events) { event -> String in
        switch event {
        case .transaction(let transaction): transaction.storeID
        case .reset(let reset): "reset of \(reset.storeID)"
        }
      }
      try wait("it is tried again") { outage.failures >= 3 }
      outage.end()
      try wait("what is there") { reading.count == 1 }
      try stack.save("Bob")
      try wait("what comes") { reading.count == 2 }
      try expectEqual(reading.found, try stack.history().map(\.storeID), "and no reset")
      reading.cancel()
    },
    lost("follow-broken", "what does not come back ends it with the error (H34, L10)") {
      stack, outage in
      try stack.save("Ada")
      for code in [.persistentStoreOperation, .corruptStore] as [PersistenceError.Code] {
        let reading = Reading(stack.coordinator.history(after: nil)) { $0.transactionNumber }
        try wait("what is there") { reading.count >= 1 }
        outage.begin(with: PersistenceError(code, "The disk is gone."))
        try stack.save("Bob")
        try wait("it ends") { reading.isOver }
        try expectEqual(reading.error?.code, code)
        outage.end()
      }
    },
    lost("follow-lost-cancel", "a cancelled task does not wait for a store (H34, H12)") {
      stack, outage in
      try stack.save("Ada")
      outage.begin(with: PersistenceError(.storeBusy, "Others were faster."))
      let reading = Reading(stack.coordinator.history(after: nil)) { $0.transactionNumber }
      try wait("it is tried again") { outage.failures >= 2 }
      reading.cancel()
      try wait("it ends") { reading.isOver }
      try expect(reading.error == nil && reading.count == 0, "without anything")
    },
  ]

  private static func lost(
    _ name: String, _ title: String,
    _ body: @escaping @Sendable (ConformanceStack, Outage) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.history, name, title, needs: [.history]) { stage in
      let outage = Outage()
      var store = try stage.makeStore().forwarded { DistantStore($0, outage) }
      try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      let stack = try stage.open(model(), on: [store])
      defer { outage.end() }
      try body(stack, outage)
    }
  }
}

/// Decides whether the history of a store can be read.
private final class Outage: Sendable {
  private let state = Mutex<(error: PersistenceError?, failures: Int)>((nil, 0))

  func begin(with error: PersistenceError) { state.withLock { $0.error = error } }
  func end() { state.withLock { $0.error = nil } }

  /// The number of failed requests.
  var failures: Int { state.withLock { $0.failures } }

  func pass() throws {
    try state.withLock { state in
      guard let error = state.error else { return }
      state.failures += 1
      throw error
    }
  }
}

/// A store whose history is temporarily unreachable.
private final class DistantStore: ForwardingStore, @unchecked Sendable {
  // Sendable: constant.
  private let outage: Outage

  init(_ base: any PersistentStore, _ outage: Outage) {
    self.outage = outage
    super.init(base)
  }

  override var history: (any StoreHistory)? {
    base.history.map { DistantHistory(base: $0, outage: outage) }
  }
}

private struct DistantHistory: StoreHistory {
  let base: any StoreHistory
  let outage: Outage

  private func passing<Result>(_ body: (any StoreHistory) throws -> Result) throws -> Result {
    try outage.pass()
    return try body(base)
  }

  func position() throws -> StorePosition { try passing { try $0.position() } }

  func transactions(after position: StorePosition?, limit: Int?) throws -> [StoreTransaction] {
    try passing { try $0.transactions(after: position, limit: limit) }
  }

  func deleteTransactions(_ deletion: HistoryDeletion) throws -> HistorySize {
    try passing { try $0.deleteTransactions(deletion) }
  }

  func size() throws -> HistorySize { try passing { try $0.size() } }

  func bookmarks() throws -> HistoryBookmarks { try passing { try $0.bookmarks() } }

  func changeBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws {
    try passing { try $0.changeBookmarks(change) }
  }
}
