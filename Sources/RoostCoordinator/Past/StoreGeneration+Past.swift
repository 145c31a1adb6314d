// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel
import RoostStore

extension StoreGeneration {
  /// Makes a generation of all stores at a position of their histories.
  ///
  /// - Throws: `persistentHistoryTokenExpired` when a store keeps no previous values, is missing in the token, or its
  ///   history does not go back to it.
  /// - Complexity: One round trip for each store; O(changes since the position).
  package convenience init(
    of coordinator: PersistentStoreCoordinator, at token: PersistentHistoryToken
  ) throws {
    try self.init(
      of: coordinator.route().stores.map { store in
        guard let position = token.stores[store.identity.identifier] else {
          throw PersistenceError.pastIsUnknown(
            "The token was taken without the store, so it has no position in the store's history.",
            store: store.displayName)
        }
        return (store, position)
      })
  }

  /// Makes a generation of all stores at a time: after the last transaction at or before it.
  ///
  /// Before the first transaction, a store whose history began with its creation is empty.
  ///
  /// - Throws: As with a token; also `persistentHistoryTokenExpired` for a time before the first transaction that a
  ///   store keeps, when earlier ones were deleted or the store is older than its history.
  /// - Complexity: One more round trip for each store; for a time before its first transaction also one for each
  ///   entity.
  package convenience init(of coordinator: PersistentStoreCoordinator, at date: Date) throws {
    let time = date.timeIntervalSinceReferenceDate
    try self.init(
      of: coordinator.route().stores.map { store in
        let transactions = try store.historyTransactions(after: nil, limit: nil)
        if let last = transactions.last(where: { $0.timestamp <= time }) {
          return (store, last.position)
        }
        guard let current = try store.historyPosition() else {
          throw PersistenceError.pastIsUnknown(
            "The store keeps no history.", store: store.displayName)
        }
        let start = current.beginning
        let isWhole = store.store.metadata.historyFromStart ?? false
        guard try isWhole && PastStore(of: store, at: start).isEmpty() else {
          throw PersistenceError.pastIsUnknown(
            "The history of the store does not go back to that time.", store: store.displayName)
        }
        return (store, start)
      })
  }

  /// Makes a generation of stores at positions of their histories.
  private convenience init(of stores: [(store: AttachedStore, position: StorePosition)]) throws {
    try self.init(
      past: stores.map { store, position in
        guard store.store.metadata.keepsPreviousValues else {
          throw PersistenceError.pastIsUnknown(
            "The history of the store keeps no previous values; add it with the option historyLevel “values”.",
            store: store.displayName)
        }
        let past = PastStore(of: store, at: position)
        try store.requesting { _ in try past.check() }
        return AttachedStore(frozen: past, of: store, holdsSnapshot: false)
      })
  }
}
