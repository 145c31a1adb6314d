// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// IDs grouped by their stores, so that each store is asked once.
struct StoreGroups {
  struct Group {
    var store: AttachedStore
    /// The indices of the IDs in the call.
    var indices: [Int]
    var keys: [Int64]
  }

  private(set) var groups: [Group] = []

  /// Groups IDs.
  ///
  /// - Throws: `storeRemoved` for an ID of a store that is not attached. Temporary IDs belong to no group: no store
  ///   knows them (B29).
  init(_ ids: [ObjectID], in list: StoreList) throws {
    if let only = Self.onlyGroup(ids, in: list) {
      groups = [only]
      return
    }
    var indexByStore: [ObjectIdentifier: Int] = [:]
    var lastIdentity: StoreIdentity?
    var lastGroup = 0
    for (index, id) in ids.enumerated() {
      let id = id.current
      guard let identity = id.storeIdentity else { continue }
      if identity !== lastIdentity {
        guard let store = list.store(identity) else {
          throw Self.removedError(of: id, identity)
        }
        lastIdentity = identity
        if let known = indexByStore[ObjectIdentifier(store)] {
          lastGroup = known
        } else {
          lastGroup = groups.count
          indexByStore[ObjectIdentifier(store)] = lastGroup
          groups.append(Group(store: store, indices: [], keys: []))
        }
      }
      groups[lastGroup].indices.append(index)
      groups[lastGroup].keys.append(id.key)
    }
  }

  /// Returns the error for an ID of a store that is not attached.
  static func removedError(of id: ObjectID, _ identity: StoreIdentity) -> PersistenceError {
    PersistenceError(
      .storeRemoved, "The object's store is not attached to the coordinator.",
      entityName: id.entity.name, objectIDs: [id], store: identity.identifier)
  }

  /// Returns the group of IDs that all belong to one store, which is the common case; nil otherwise.
  private static func onlyGroup(_ ids: [ObjectID], in list: StoreList) -> Group? {
    guard let identity = ids.first?.storeIdentity, let store = list.store(identity) else {
      return nil
    }
    var keys: [Int64] = []
    keys.reserveCapacity(ids.count)
    for id in ids {
      guard id.storeIdentity === identity else { return nil }
      keys.append(id.key)
    }
    return Group(store: store, indices: Array(ids.indices), keys: keys)
  }
}
