// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The history of all stores of a coordinator: what their transactions did, in one order.
package struct CoordinatorHistory {
  private let coordinator: PersistentStoreCoordinator

  package init(of coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  /// Whether one of the stores keeps a history.
  package var isKept: Bool {
    coordinator.state.withLock { $0.list.stores.contains(where: \.keepsHistory) }
  }

  /// Whether it tells of all stores that can be written what others write: then nothing is read anew because of own
  /// saves by who merges that.
  package var isKeptByAll: Bool {
    coordinator.state.withLock { state in
      state.list.stores.contains(where: \.keepsHistory)
        && state.list.stores.allSatisfy { $0.keepsHistory || $0.isReadOnly }
    }
  }

  /// The stores of the coordinator.
  var stores: [AttachedStore] { coordinator.route().stores }

  /// Returns the transactions after a point, those of several stores by time, each store's in their order.
  ///
  /// - Parameters:
  ///   - start: The point.
  ///   - identifiers: The UUIDs of the stores that are asked; nil for all that keep a history.
  ///   - withChanges: Whether the changes are wanted.
  ///   - limit: The largest number of transactions; nil for all.
  ///   - keepsSavesTogether: Whether the limit gives way to the transactions of one save that follow each other.
  /// - Throws: `persistentHistoryTokenExpired`, `persistentStoreUnsupportedRequestType` when a store that is named
  ///   keeps no history, `storeRemoved` when one is not attached.
  package func transactions(
    after start: HistoryStart, stores identifiers: [String]?, withChanges: Bool, limit: Int? = nil,
    keepsSavesTogether: Bool = false
  ) throws -> [PersistentHistoryTransaction] {
    var answers: [[PersistentHistoryTransaction]] = []
    for store in try storesWithHistory(identifiers, start) {
      let found = try Self.transactions(of: store, after: start, limit: limit)
      var translation = HistoryTranslation(store)
      answers.append(
        try found.map { try translation.transaction($0, withChanges: withChanges) })
    }
    let merged = HistoryMerge.merged(answers)
    guard var end = limit, end < merged.count else { return merged }
    while keepsSavesTogether, end > 0, end < merged.count,
      let save = merged[end - 1].commonSaveID, save == merged[end].commonSaveID
    {
      end += 1
    }
    return Array(merged.prefix(end))
  }

  /// Returns the transactions after a point that a filter wants, in the order of all; where it lists changes, with
  /// those that it wants. Where the filter names stores, too, only those are asked that both name.
  ///
  /// - Throws: What ``transactions(after:stores:withChanges:limit:)`` throws, or what a condition runs into.
  /// - Complexity: O(transactions that are later), and the changes of those that may be wanted.
  package func transactions(
    after start: HistoryStart, stores identifiers: [String]?, withChanges: Bool, limit: Int? = nil,
    where filter: HistoryFilter
  ) throws -> [PersistentHistoryTransaction] {
    var answers: [[PersistentHistoryTransaction]] = []
    let asked = filter.stores.map { wanted in identifiers?.filter(wanted.contains) ?? wanted }
    for store in try storesWithHistory(asked ?? identifiers, start) {
      var translation = HistoryTranslation(store)
      var answer: [PersistentHistoryTransaction] = []
      for stored in try Self.transactions(of: store, after: start, limit: nil, where: filter) {
        let header = try translation.transaction(stored, withChanges: false)
        guard try filter.mayWant(header) else { continue }
        guard withChanges || filter.looksAtChanges else {
          answer.append(header)
          continue
        }
        let whole = try translation.transaction(stored, withChanges: true)
        if let wanted = try filter.wanted(of: whole) { answer.append(wanted) }
      }
      answers.append(answer)
    }
    var found = filter.portion(of: HistoryMerge.merged(answers))
    if let limit { found = Array(found.prefix(limit)) }
    guard !withChanges, filter.looksAtChanges else { return found }
    return found.map { $0.withoutChanges }
  }

  /// The transactions of a store after a point. What a filter does not want because of its time or its number may be
  /// left out.
  private static func transactions(
    of store: AttachedStore, after start: HistoryStart, limit: Int?,
    where filter: HistoryFilter? = nil
  ) throws -> [StoreTransaction] {
    let identifier = store.identity.identifier
    switch start {
    case .token(let token):
      if token == nil, let time = filter?.afterTime {
        return try store.historyTransactions(afterTime: time, limit: limit)
      }
      if token == nil, let number = filter?.afterNumber {
        return try store.historyTransactions(afterNumber: number)
      }
      return try store.historyTransactions(after: token?.stores[identifier], limit: limit)
    case .time(let date):
      let time = date.timeIntervalSinceReferenceDate
      return try store.historyTransactions(
        afterTime: max(time, filter?.afterTime ?? time), limit: limit)
    case .transaction(let transaction):
      return try store.historyTransactions(
        after: transaction.token.stores[identifier], limit: limit)
    }
  }

  /// Removes the transactions before a point, which stays, but for those that a consumer has not acknowledged.
  ///
  /// - Parameter isForced: Whether those are removed, too.
  /// - Returns: How many were removed.
  /// - Throws: What ``transactions(after:stores:withChanges:limit:)`` throws, or `readOnlyStore`.
  package func delete(
    before end: HistoryStart, stores identifiers: [String]?, isForced: Bool = false
  ) throws -> Int {
    let now = coordinator.historyTicks.clock()
    var count = 0
    for store in try storesWithHistory(identifiers, end) {
      let bound: HistoryBound? =
        switch end {
        case .token(let token): token?.stores[store.identity.identifier].map(HistoryBound.position)
        case .time(let date): .time(date.timeIntervalSinceReferenceDate)
        case .transaction(let transaction):
          transaction.token.stores[store.identity.identifier].map(HistoryBound.position)
        }
      guard let bound else { continue }
      if isForced {
        count += try store.deletingUnheard {
          try store.deleteHistory(HistoryDeletion(before: bound)).count
        }
      } else if let readers = try store.positionsOfConsumers(at: now) {
        count += try store.deleteHistory(HistoryDeletion(before: bound, readers: readers)).count
      }
    }
    return count
  }

  /// The stores that a request about history concerns.
  private func storesWithHistory(
    _ identifiers: [String]?, _ start: HistoryStart
  ) throws -> [AttachedStore] {
    let stores = coordinator.route().stores
    var asked = stores.filter(\.keepsHistory)
    if let identifiers {
      asked = try identifiers.map { identifier in
        guard let store = stores.first(where: { $0.identity.identifier == identifier }) else {
          throw PersistenceError(
            .storeRemoved, "The store is not attached to this coordinator.", store: identifier)
        }
        guard store.keepsHistory else {
          throw PersistenceError(
            .persistentStoreUnsupportedRequestType,
            "The store keeps no history; add it with the option historyTracking.",
            store: store.displayName)
        }
        return store
      }
    }
    guard case .transaction(let transaction) = start else { return asked }
    return asked.filter { $0.identity.identifier == transaction.storeID }
  }
}
