// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Where a store stands in saves over several stores, the same in all processes (X1). What is in doubt after a crash
/// is in those that stand first: in memory, where it is gone, and in files, where nobody else waits for it. Stores that
/// one transaction can write stand side by side.
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

  /// Where the store stands.
  ///
  /// - Parameter amongServers: Whether other stores of the save are on servers: only then is this one asked for what it
  ///   shares a transaction with.
  /// - Throws: What asking the store throws.
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
  /// How a store takes part in saves over several stores.
  ///
  /// - Throws: `persistentStoreUnsupportedRequestType` when it cannot.
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
