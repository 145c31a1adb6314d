// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// An immutable list of a coordinator's stores, in the order in which they were added. A request uses one list from
/// beginning to end, whatever is added or removed meanwhile.
final class StoreList: Sendable {
  /// The stores in the order of adding.
  let stores: [AttachedStore]
  /// The reason why stores are missing, for the error of a failed look-up.
  let absence: MissingStoreReason
  private let byIdentifier: [String: AttachedStore]

  init(_ stores: [AttachedStore] = [], absence: MissingStoreReason = .neverAdded) {
    self.stores = stores
    self.absence = absence
    byIdentifier = Dictionary(
      stores.map { ($0.identity.identifier, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the store with an identity, also when another coordinator made the identity.
  func store(_ identity: StoreIdentity) -> AttachedStore? {
    if let first = stores.first, first.identity === identity { return first }
    return byIdentifier[identity.identifier]
  }

  /// Returns the store with a UUID.
  func store(identifier: String) -> AttachedStore? {
    byIdentifier[identifier]
  }

  /// Returns the store that wraps a backend.
  func store(_ store: any PersistentStore) -> AttachedStore? {
    stores.first { $0.store === store }
  }

  /// Returns the store at a URL.
  func store(at url: URL) -> AttachedStore? {
    // Resolving a URL needs the file system, so an empty list returns first.
    guard !stores.isEmpty, let place = StoreNaming.place(of: url) else { return nil }
    return stores.first { StoreNaming.place(of: $0.url) == place }
  }

  func adding(_ store: AttachedStore) -> StoreList {
    StoreList(stores + [store], absence: absence)
  }

  func replacing(_ old: AttachedStore, with new: AttachedStore) -> StoreList {
    StoreList(stores.map { $0 === old ? new : $0 }, absence: absence)
  }

  func removing(_ store: AttachedStore) -> StoreList {
    StoreList(stores.filter { $0 !== store }, absence: .removed)
  }

  /// Returns the same stores, with the error of a store that could not be added.
  func failing(_ error: PersistenceError) -> StoreList {
    StoreList(stores, absence: .failed(error))
  }
}
