// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel
import RoostStore

extension StoreGeneration {
  /// The state of all stores at a moment of their histories.
  ///
  /// - Throws: `persistentHistoryTokenExpired` when a store keeps no values, is not named by the token, or does not go
  ///   back to it.
  /// - Complexity: One round trip a store; O(changes since the moment).
  package convenience init(
    of coordinator: PersistentStoreCoordinator, at token: PersistentHistoryToken
  ) throws {
    try self.init(
      of: coordinator.route().stores.map { store in
        guard let position = token.stores[store.identity.identifier] else {
          throw PersistenceError.pastIsUnknown(
            "The token was taken without the store, so it does not say what the store was then.",
            store: store.displayName)
        }
        return (store, position)
      })
  }

  /// The state of all stores at a time: after the last transaction that is not later.
  ///
  /// Before the first transaction of a store there was nothing in it, where its history began with it.
  ///
  /// - Throws: As the form that takes a token; `persistentHistoryTokenExpired` for a time before the first transaction
  ///   that a store keeps, too, when earlier ones were removed or the store is older than its history.
  /// - Complexity: One round trip a store more; for a time before its first transaction also one for each entity.
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

  /// The stores at positions of their histories.
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
