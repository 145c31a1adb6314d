// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

/// Statements of SQL that a program writes itself.
package struct TextRequests: Sendable {
  private let coordinator: PersistentStoreCoordinator

  package init(_ coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
  }

  /// Returns what a statement gives.
  ///
  /// - Parameter store: The store that is asked; nil for the only one that takes SQL.
  package func rows(of query: SQLText, in store: (any PersistentStore)?) throws -> SQLRows {
    try attachedStore(for: store).sqlRows(of: query)
  }

  /// Returns the views of a store.
  ///
  /// - Parameter store: The store; nil for the only one that takes SQL.
  package func views(of store: (any PersistentStore)?) throws -> any StoreViews {
    let attached = try attachedStore(for: store)
    guard let views = attached.store.views else {
      throw PersistenceError(
        .persistentStoreUnsupportedRequestType,
        "Stores of the type \(attached.identity.type) have no views of SQL.",
        store: attached.displayName)
    }
    return views
  }

  private func attachedStore(for store: (any PersistentStore)?) throws -> AttachedStore {
    if let store {
      guard let attached = coordinator.attachedStore(for: store) else {
        throw PersistenceError(
          .invalidStoreAssignment, "The store is not attached to this coordinator.",
          store: store.identity.identifier)
      }
      return attached
    }
    let candidates = coordinator.attachedStores.filter { $0.store.sql != nil }
    guard candidates.count <= 1 else {
      throw PersistenceError(
        .invalidRequest, "Several stores answer SQL: say which one is asked, with `in:`.")
    }
    guard let store = candidates.first ?? coordinator.attachedStores.first else {
      throw PersistenceError(.noStore, "There is no store that could be asked: load them first.")
    }
    return store
  }
}

extension AttachedStore {
  fileprivate func sqlRows(of query: SQLText) throws -> SQLRows {
    try asking(
      .fetch, OperationSubject(detail: "SQL of the program"),
      report: { ($1.rows, $1.bytes) = ($0.count, $0.valueSize) }
    ) { store in
      guard let ability = store.sql else {
        throw PersistenceError(
          .persistentStoreUnsupportedRequestType,
          "Stores of the type \(identity.type) answer no SQL: fetch with a predicate instead.",
          store: displayName)
      }
      return try ability.rows(of: query)
    }
  }
}
