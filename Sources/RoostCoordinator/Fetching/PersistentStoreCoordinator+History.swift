// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
public import RoostStore

extension PersistentStoreCoordinator {
  /// Returns the token after everything that the stores hold now. A program keeps it before it reads, to ask later
  /// for newer transactions.
  ///
  /// ```swift
  /// let token = try coordinator.currentPersistentHistoryToken(fromStores: nil)
  /// ```
  /// - Parameter stores: The stores; nil for all that keep a history.
  /// - Returns: The token; nil when none of the stores keeps a history.
  /// - Throws: `PersistenceError` with code `storeRemoved`, or the error of a store.
  /// - Complexity: One round trip for each store.
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
}

extension AttachedStore {
  /// The meanings of the names in the history.
  var historyNames: HistoryNames { HistoryNames(store.metadata) }

  /// Returns the position after everything that the store holds now; nil when it keeps no history.
  package func historyPosition() throws -> StorePosition? {
    try withHistory("position") { try $0.position() }
  }

  func historyTransactions(
    after position: StorePosition?, limit: Int?
  ) throws -> [StoreTransaction] {
    let found = try withHistory("transactions", rows: { $0?.count ?? 0 }) {
      try $0.transactions(after: position, limit: limit)
    }
    return found ?? []
  }

  func historyTransactions(afterTime time: Double, limit: Int?) throws -> [StoreTransaction] {
    let found = try withHistory("transactions", rows: { $0?.count ?? 0 }) {
      try $0.transactions(afterTime: time, limit: limit)
    }
    return found ?? []
  }

  func historyTransactions(
    afterNumber number: Int64, limit: Int?
  ) throws -> [StoreTransaction] {
    let found = try withHistory("transactions", rows: { $0?.count ?? 0 }) {
      try $0.transactions(afterNumber: number, limit: limit)
    }
    return found ?? []
  }

  func historyStep(after position: StorePosition?) throws -> HistoryStep? {
    try withHistory("step") { try $0.step(after: position) } ?? nil
  }

  func deleteHistory(_ deletion: HistoryDeletion) throws -> HistorySize {
    let removed = try withHistory("deletion", rows: { $0?.count ?? 0 }) { history in
      try history.deleteTransactions(deletion)
    }
    return removed ?? HistorySize()
  }

  func historyBookmarks() throws -> HistoryBookmarks {
    try withHistory("bookmarks") { try $0.bookmarks() } ?? HistoryBookmarks()
  }

  func changeHistoryBookmarks(_ change: (inout HistoryBookmarks) throws -> Void) throws {
    _ = try withHistory("bookmarks") { history in
      try history.changeBookmarks(change)
    }
  }

  private func withHistory<Result>(
    _ detail: String, rows: (Result?) -> Int = { _ in 0 },
    _ body: (any StoreHistory) throws -> Result
  ) throws -> Result? {
    guard keepsHistory else { return nil }
    return try asking(
      .history, OperationSubject(detail: detail), report: { $1.rows = rows($0) }
    ) { store in
      try store.history.map(body)
    }
  }
}
