// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
public import RoostStore

extension PersistentStoreCoordinator {
  /// Returns the token after everything that the stores hold now: what a program keeps before it reads, so that it can
  /// ask later for what came after it.
  ///
  /// ```swift
  /// let token = try coordinator.currentPersistentHistoryToken(fromStores: nil)
  /// ```
  /// - Parameter stores: The stores; nil for all that keep a history.
  /// - Returns: The token; nil when none of the stores keeps a history.
  /// - Throws: `PersistenceError` with code `storeRemoved`, or what a store says.
  /// - Complexity: One round trip a store.
  @_disfavoredOverload
  public func currentPersistentHistoryToken(
    fromStores stores: [any PersistentStore]?
  ) throws -> PersistentHistoryToken? {
    let asked = try stores.map { try $0.map(requireAttached) } ?? route().stores
    var positions: [String: StorePosition] = [:]
    for store in asked {
      guard let position = try store.historyPosition() else { continue }
      positions[store.identity.identifier] = position
    }
    return positions.isEmpty ? nil : PersistentHistoryToken(stores: positions)
  }

  /// Whether one of the stores keeps a history.
  package var keepsHistory: Bool { state.withLock { $0.list.stores.contains(where: \.keepsHistory) } }

  /// Returns the transactions after a point, those of several stores by time, each store's in their order.
  ///
  /// - Parameters:
  ///   - start: The point.
  ///   - identifiers: The UUIDs of the stores that are asked; nil for all that keep a history.
  ///   - withChanges: Whether the changes are wanted.
  ///   - limit: The largest number of transactions; nil for all.
  /// - Throws: `persistentHistoryTokenExpired`, `persistentStoreUnsupportedRequestType` when a store that is named
  ///   keeps no history, `storeRemoved` when one is not attached.
  package func history(
    after start: HistoryStart, stores identifiers: [String]?, withChanges: Bool, limit: Int? = nil
  ) throws -> [PersistentHistoryTransaction] {
    var answers: [[PersistentHistoryTransaction]] = []
    for store in try storesWithHistory(identifiers, start) {
      let position: StorePosition?
      switch start {
      case .token(let token): position = token?.stores[store.identity.identifier]
      case .time: position = nil
      case .transaction(let transaction):
        position = transaction.token.stores[store.identity.identifier]
      }
      var found = try store.historyTransactions(after: position, limit: start.isTime ? nil : limit)
      if case .time(let date) = start {
        found.removeAll { $0.timestamp <= date.timeIntervalSinceReferenceDate }
      }
      var translation = HistoryTranslation(store)
      answers.append(
        try found.map { try translation.transaction($0, withChanges: withChanges) })
    }
    let merged = Self.merge(answers)
    return limit.map { Array(merged.prefix($0)) } ?? merged
  }

  /// Removes the transactions before a point, which stays.
  ///
  /// - Returns: How many were removed.
  /// - Throws: What ``history(after:stores:withChanges:limit:)`` throws, or `readOnlyStore`.
  package func deleteHistory(
    before end: HistoryStart, stores identifiers: [String]?
  ) throws -> Int {
    var count = 0
    for store in try storesWithHistory(identifiers, end) {
      let bound: HistoryBound? =
        switch end {
        case .token(let token): token?.stores[store.identity.identifier].map(HistoryBound.position)
        case .time(let date): .time(date.timeIntervalSinceReferenceDate)
        case .transaction(let transaction):
          transaction.token.stores[store.identity.identifier].map(HistoryBound.position)
        }
      if let bound { count += try store.deleteHistory(before: bound) }
    }
    return count
  }

  /// The stores that a request about history concerns.
  private func storesWithHistory(
    _ identifiers: [String]?, _ start: HistoryStart
  ) throws -> [AttachedStore] {
    let stores = route().stores
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

  /// Merges the answers of several stores by time; at the same time, in the order of the stores.
  private static func merge(
    _ answers: [[PersistentHistoryTransaction]]
  ) -> [PersistentHistoryTransaction] {
    guard answers.count > 1 else { return answers.first ?? [] }
    var heads = [Int](repeating: 0, count: answers.count)
    var result: [PersistentHistoryTransaction] = []
    while true {
      var next: Int?
      for (index, head) in heads.enumerated() where head < answers[index].count {
        guard let known = next else {
          next = index
          continue
        }
        if answers[index][head].timestamp < answers[known][heads[known]].timestamp {
          next = index
        }
      }
      guard let next else { return result }
      result.append(answers[next][heads[next]])
      heads[next] += 1
    }
  }
}

extension AttachedStore {
  /// The position after everything that the store holds now; nil when it keeps no history.
  package func historyPosition() throws -> StorePosition? {
    try withHistory { try $0.position() }
  }

  func historyTransactions(
    after position: StorePosition?, limit: Int?
  ) throws -> [StoreTransaction] {
    try withHistory { try $0.transactions(after: position, limit: limit) } ?? []
  }

  func deleteHistory(before bound: HistoryBound) throws -> Int {
    try withHistory { try $0.deleteTransactions(before: bound) } ?? 0
  }

  private func withHistory<Result>(
    _ body: (any StoreHistory) throws -> Result
  ) throws -> Result? {
    guard keepsHistory else { return nil }
    return try requesting { store in try store.history.map(body) }
  }
}
