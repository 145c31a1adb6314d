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
    let answers = try asking(storesWithHistory(identifiers, start)) { store in
      let found = try Self.transactions(of: store, after: start, limit: limit)
      var translation = HistoryTranslation(store)
      return try found.map { try translation.transaction($0, withChanges: withChanges) }
    }
    let merged = HistoryMerge.merged(answers)
    guard let limit else { return merged }
    return Array(
      keepsSavesTogether ? HistoryMerge.portion(of: merged, limit) : merged.prefix(limit))
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
    let stores = try storesWithHistory(filter.stores(among: identifiers), start)
    let answers = try asking(stores) { store in
      var search = HistoryStoreSearch(store, filter, withChanges: withChanges)
      return try Self.transactions(of: store, after: start, limit: nil, where: filter)
        .compactMap { try search.wanted($0) }
    }
    var window = filter.window
    var found = window.part(of: HistoryMerge.merged(answers))
    if let limit { found = Array(found.prefix(limit)) }
    guard !withChanges, filter.looksAtChanges else { return found }
    return found.map { $0.withoutChanges }
  }

  /// Asks each store, and returns the answers in the order of the stores. When the histories of some do not go back
  /// far enough, the others are asked all the same, and the error names all of these.
  private func asking<Answer>(
    _ stores: [AttachedStore], _ body: (AttachedStore) throws -> Answer
  ) throws -> [Answer] {
    var answers: [Answer] = []
    var expired: [PersistenceError] = []
    for store in stores {
      do {
        answers.append(try body(store))
      } catch let error as PersistenceError where error.code == .persistentHistoryTokenExpired {
        expired.append(error)
      }
    }
    if let error = PersistenceError.together(expired) { throw error }
    return answers
  }

  /// Returns the transactions of a store after a point. Transactions outside the filter's range of times or numbers
  /// may be omitted.
  static func transactions(
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
        return try store.historyTransactions(afterNumber: number, limit: limit)
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
    let counts = try asking(storesWithHistory(identifiers, end)) { store in
      let bound: HistoryBound? =
        switch end {
        case .token(let token): token?.stores[store.identity.identifier].map(HistoryBound.position)
        case .time(let date): .time(date.timeIntervalSinceReferenceDate)
        case .transaction(let transaction):
          transaction.token.stores[store.identity.identifier].map(HistoryBound.position)
        }
      guard let bound else { return 0 }
      guard !isForced else {
        return try store.deletingUnheard {
          try store.deleteHistory(HistoryDeletion(before: bound)).count
        }
      }
      guard let readers = try store.positionsOfConsumers(at: now) else { return 0 }
      return try store.deleteHistory(HistoryDeletion(before: bound, readers: readers)).count
    }
    return counts.reduce(0, +)
  }

  /// Returns the stores that a history request concerns.
  func storesWithHistory(
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

extension PersistenceError {
  /// Returns the first of some errors, which names the stores of all; nil without an error.
  static func together(_ errors: [PersistenceError]) -> PersistenceError? {
    guard var error = errors.first, errors.count > 1 else { return errors.first }
    error.affectedStores = errors.flatMap(\.affectedStores)
    error.message =
      "The histories of \(errors.count) stores do not go back to the token: transactions after it "
      + "were deleted, or the stores were replaced."
    return error
  }
}
