// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// How the stores that a save concerns name the records of other stores to which its rows lead.
///
/// The numbers are given before the rows are made, and so before the commit: a row never names a number that its store
/// could still lose. What a save that fails leaves behind is a number that no row has, and that the next attempt uses.
struct ForeignKeys: Sendable {
  private var wanted: [String: (store: StoreIdentity, ids: [ObjectID])] = [:]
  private var keys: [String: [ObjectID: Int64]] = [:]

  /// Announces that a record is to name one of another store. Nothing is noted for two records of one store, and for
  /// objects that are not saved.
  mutating func announce(_ destination: ObjectID, to source: ObjectID) {
    guard let store = source.storeIdentity, destination.storeIdentity != nil,
      !source.isInSameStore(as: destination)
    else { return }
    wanted[store.identifier, default: (store, [])].ids.append(destination)
  }

  /// Lets the stores number what was announced. Where saves go from store to store, a relationship between two of them
  /// is refused: after a save that has failed in between it would lead nowhere.
  mutating func settle(in list: StoreList) throws {
    for (identifier, (identity, ids)) in wanted {
      guard let store = list.store(identity) else {
        throw PersistenceError(
          .storeRemoved, "The object's store is not attached to the coordinator.",
          store: identifier)
      }
      guard store.coordinator?.saveTraffic.policy != .perStore else {
        throw PersistenceError(
          .externalRelationship,
          "A relationship between stores is saved in both of them or in none, and the coordinator "
            + "saves store after store: set its crossStoreSaves to .atomic.",
          objectIDs: ids, store: store.displayName)
      }
      for (id, key) in zip(ids, try store.internedKeys(ofDestinations: ids)) {
        keys[identifier, default: [:]][id] = key
      }
    }
    wanted = [:]
  }

  /// The key of a record of another store; nil for one that was not announced.
  func key(of destination: ObjectID, from source: ObjectID) -> Int64? {
    guard !keys.isEmpty, let store = source.storeIdentity else { return nil }
    return keys[store.identifier]?[destination]
  }
}
