// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The sort key of a store in saves over several stores, the same in all processes (X1). After a crash, the stores in
/// doubt are those that come first: in-memory stores, which are gone, and files, which no other client waits for.
/// Stores that one transaction can write are adjacent.
struct SavePlace: Comparable {
  let kind: Int
  let domain: String?
  let identifier: String
  /// Whether the store can prepare its part.
  let canPrepare: Bool

  private var order: (Int, String, String) { (kind, domain ?? "", identifier) }

  static func < (left: SavePlace, right: SavePlace) -> Bool {
    left.order < right.order
  }

  /// Whether one transaction can write both stores (X2).
  func sharesTransaction(with other: SavePlace) -> Bool {
    domain != nil && domain == other.domain
  }
}

extension AttachedStore {
  /// Whether the store is on a server.
  var isOnServer: Bool {
    guard isDurable, let url else { return false }
    return !url.isFileURL && url.scheme != nil
  }

  /// Returns the sort key of the store.
  ///
  /// - Parameter amongServers: Whether several stores of the save are on servers: only then is this one asked for its
  ///   transaction domain.
  /// - Throws: The error of the store.
  func savePlace(amongServers: Bool) throws -> SavePlace {
    let kind = !isDurable ? 0 : isOnServer ? 2 : 1
    return try requesting { store in
      let preparation = try AtomicSave.preparation(store)
      return SavePlace(
        kind: kind,
        domain: amongServers && isOnServer ? try preparation.transactionDomain() : nil,
        identifier: identity.identifier, canPrepare: try preparation.canPrepare())
    }
  }
}

extension AtomicSave {
  /// Returns a store's support for saves over several stores.
  ///
  /// - Throws: `persistentStoreUnsupportedRequestType` when it has none.
  static func preparation(
    _ store: any PersistentStore
  ) throws -> any StorePreparation {
    guard let preparation = store.preparation else {
      throw PersistenceError(
        .persistentStoreUnsupportedRequestType,
        "The store cannot take part in saves over several stores any more.")
    }
    return preparation
  }
}
