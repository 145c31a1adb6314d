// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The merged history of all stores of a coordinator.
package struct CoordinatorHistory {
  private let coordinator: PersistentStoreCoordinator

  package init(of coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  /// Whether one of the stores keeps a history.
  package var isKept: Bool {
    coordinator.state.withLock { $0.list.stores.contains(where: \.keepsHistory) }
  }

  /// Whether every writable store keeps a history, so that all writes of others are visible there: a context that
  /// merges the history then need not read anything again because of its own saves.
  package var isKeptByAll: Bool {
    coordinator.state.withLock { state in
      state.list.stores.contains(where: \.keepsHistory)
        && state.list.stores.allSatisfy { $0.keepsHistory || $0.isReadOnly }
    }
  }

  /// The stores of the coordinator.
  var stores: [AttachedStore] { coordinator.route().stores }

  /// Returns the transactions after a point, merged by time; each store's stay in their own order.
  ///
  /// - Parameters:
  ///   - start: The point.
  ///   - identifiers: The UUIDs of the stores; nil for all that keep a history.
  ///   - withChanges: Whether to include the changes.
  ///   - limit: The maximum number of transactions; nil for all.
  ///   - keepsSavesTogether: Whether the limit may be exceeded to keep consecutive transactions of one save together.
  /// - Throws: `persistentHistoryTokenExpired`, `persistentStoreUnsupportedRequestType` when a listed store keeps no
  ///   history, `storeRemoved` when one is not attached.
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

  /// Returns the transactions after a point that match a filter, in the merged order; with `withChanges`, only the
  /// changes that match. If the filter also names stores, only stores that both name are asked.
  ///
  /// - Throws: What ``transactions(after:stores:withChanges:limit:keepsSavesTogether:)`` throws, or what the
  ///   evaluation of a condition throws.
  /// - Complexity: O(later transactions), and the changes of those that may match.
  package func transactions(
    after start: HistoryStart, stores identifiers: [String]?, withChanges: Bool, limit: Int? = nil,
    where filter: HistoryFilter
  ) throws -> [PersistentHistoryTransaction] {
    var answers: [[PersistentHistoryTransaction]] = []
    let asked = filter.stores.map { wanted in identifiers?.filter(wanted.contains) ?? wanted }
    for store in try storesWithHistory(asked ?? identifiers, start) {
      var translation = HistoryTranslation(store)
      var answer: [PersistentHistoryTransaction] = []
      let records = filter.objects.map { Self.records($0, of: store) }
      for stored in try Self.transactions(of: store, after: start, limit: nil, where: filter) {
        let header = try translation.transaction(stored, withChanges: false)
        guard try filter.mayWant(header) else { continue }
        if let records, !(try stored.content.changes(anyOf: records)) { continue }
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

  /// Returns the records of those objects that are in a store.
  private static func records(
    _ objects: Set<ObjectID>, of store: AttachedStore
  ) -> RecordSelection {
    RecordSelection(objects.filter { store.objectID(forKey: $0.key) == $0 }.map(\.key))
  }

  /// Returns the transactions of a store after a point. Transactions outside the filter's range of times or numbers
  /// may be omitted.
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

  /// Deletes the transactions before a point, excluding the point itself and those that a consumer has not
  /// acknowledged.
  ///
  /// - Parameter isForced: Whether to delete unacknowledged transactions, too.
  /// - Returns: The number of deleted transactions.
  /// - Throws: What ``transactions(after:stores:withChanges:limit:keepsSavesTogether:)`` throws, or `readOnlyStore`.
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

  /// Returns the stores that a history request concerns.
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
