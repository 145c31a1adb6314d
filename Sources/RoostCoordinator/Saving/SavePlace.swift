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
  /// Where the store stands.
  ///
  /// - Throws: What asking the store throws.
  func savePlace() throws -> SavePlace {
    let kind: Int =
      if !isDurable { 0 } else if let url, !url.isFileURL, url.scheme != nil { 2 } else { 1 }
    return try requesting { store in
      let preparation = try AtomicSave.preparation(store)
      return SavePlace(
        kind: kind, domain: try preparation.transactionDomain(),
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
