// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The foreign keys under which the stores of a save refer to records of other stores.
///
/// They are assigned before the rows are made, and so before the commit: a row never holds a number that its store
/// could still lose. A failed save leaves only unused numbers behind, which the next attempt reuses.
struct ForeignKeys: Sendable {
  private var wanted: [String: (store: StoreIdentity, ids: [ObjectID])] = [:]
  private var keys: [String: [ObjectID: Int64]] = [:]

  /// Announces a reference to a record of another store. References within one store, and those to unsaved objects,
  /// are ignored.
  mutating func announce(_ destination: ObjectID, to source: ObjectID) {
    guard let store = source.storeIdentity, destination.storeIdentity != nil,
      !source.isInSameStore(as: destination)
    else { return }
    wanted[store.identifier, default: (store, [])].ids.append(destination)
  }

  /// Assigns numbers to the announced records. With the policy `perStore`, relationships between stores are refused:
  /// after a partially failed save they would dangle.
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

  /// The assigned numbers, by the UUIDs of the stores that refer by them.
  var numbers: [String: Set<Int64>] {
    keys.mapValues { keys in Set(keys.values.lazy.map { -$0 }) }
  }

  /// The UUIDs of the stores to whose records a store refers.
  func storesReferred(by identifier: String) -> Set<String> {
    Set((keys[identifier] ?? [:]).keys.lazy.compactMap { $0.storeIdentity?.identifier })
  }

  /// Returns the foreign key of a record; nil if it was not announced.
  func key(of destination: ObjectID, from source: ObjectID) -> Int64? {
    guard !keys.isEmpty, let store = source.storeIdentity else { return nil }
    return keys[store.identifier]?[destination]
  }
}
