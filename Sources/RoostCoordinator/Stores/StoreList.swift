// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The stores of a coordinator at one moment, in the order in which they were added. A request works with one list
/// from beginning to end, whatever is added or removed meanwhile.
final class StoreList: Sendable {
  /// The stores in the order of adding.
  let stores: [AttachedStore]
  /// Why stores are missing, for the error of a look-up that fails.
  let absence: StoreAbsence
  private let byIdentifier: [String: AttachedStore]

  init(_ stores: [AttachedStore] = [], absence: StoreAbsence = .neverAdded) {
    self.stores = stores
    self.absence = absence
    byIdentifier = Dictionary(
      stores.map { ($0.identity.identifier, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The store with an identity, also when the identity was made by another coordinator.
  func store(_ identity: StoreIdentity) -> AttachedStore? {
    if let first = stores.first, first.identity === identity { return first }
    return byIdentifier[identity.identifier]
  }

  /// The store with a UUID.
  func store(identifier: String) -> AttachedStore? {
    byIdentifier[identifier]
  }

  /// The store that a backend stands for.
  func store(_ store: any PersistentStore) -> AttachedStore? {
    stores.first { $0.store === store }
  }

  /// The store at a place.
  func store(at url: URL) -> AttachedStore? {
    // Where a place leads, the file system has to say.
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

  /// The same stores, after another one could not be added.
  func failing(_ error: PersistenceError) -> StoreList {
    StoreList(stores, absence: .failed(error))
  }
}
