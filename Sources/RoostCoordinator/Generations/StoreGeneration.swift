// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The stores of a coordinator as they were at one moment (B292). A store that cannot show a snapshot is shown as it is
/// (B297); one that was added later is not there (B296).
///
/// The rows that are read through it have caches of their own: nothing old comes among what others read.
package final class StoreGeneration: Sendable {
  let list: StoreList
  /// Whether it is read while no save over several stores becomes visible, or is of one moment anyway.
  let isWhole: Bool
  private let frozen: [AttachedStore]

  /// - Parameter isWhole: Whether who reads it sees to it that no save over several stores becomes visible meanwhile.
  init(_ stores: [AttachedStore], isWhole: Bool = false) throws {
    var all: [AttachedStore] = []
    var frozen: [AttachedStore] = []
    do {
      for store in stores {
        guard let copy = try store.frozen() else {
          all.append(store)
          continue
        }
        all.append(copy)
        frozen.append(copy)
      }
    } catch {
      for store in frozen { store.letGo() }
      throw error
    }
    list = StoreList(all)
    self.isWhole = isWhole || frozen.count == stores.count
    self.frozen = frozen
  }

  /// Stores that show another moment than now.
  init(past stores: [AttachedStore]) {
    list = StoreList(stores)
    isWhole = true
    frozen = stores
  }

  /// Whether a store of it shows a snapshot.
  func holds(_ store: AttachedStore) -> Bool { frozen.contains { $0 === store } }

  deinit {
    for store in frozen { store.letGo() }
  }
}

extension PersistentStoreCoordinator {
  /// Takes the state of all stores at this moment: a save over several stores is in all of them or in none. Of saves to
  /// one store, one that is made meanwhile may be there and an earlier one of another store not. Where whole saves are
  /// read, that holds for saves of others, too, as far as stores can show a snapshot (X21).
  ///
  /// - Throws: What a store throws.
  /// - Complexity: One round trip a store.
  package func takeGeneration() throws -> StoreGeneration {
    let stores = route().stores
    guard stores.count > 1 else { return try StoreGeneration(stores) }
    if saveTraffic.reads == .wholeSaves {
      return try WholeSaves(coordinator: self, stores: stores).reading {
        try StoreGeneration(stores)
      }
    }
    // No save over several stores becomes visible meanwhile, so that it is in all of them or in none (X20). Other
    // saves need not wait, and a store that is copied is read all the same.
    return try saveTraffic.visibility.sharing(RequestScope.cancellation) {
      try StoreGeneration(stores)
    }
  }

  /// The stores that a request reads.
  func stores(in generation: StoreGeneration?) -> StoreList {
    let current = route()
    guard let generation else { return current }
    // A store that was removed meanwhile is gone from every generation (B235).
    let left = generation.list.stores.filter { current.store($0.identity) != nil }
    return left.count == generation.list.stores.count ? generation.list : StoreList(left)
  }
}

extension AttachedStore {
  /// The store as it is now, to be read only; nil when the backend cannot show that.
  fileprivate func frozen() throws -> AttachedStore? {
    guard let snapshots = try requesting({ $0.snapshots }) else { return nil }
    let copy = try asking(.snapshot, OperationSubject()) { store in
      try (store.snapshots ?? snapshots).takeSnapshot()
    }
    return AttachedStore(frozen: copy, of: self)
  }
}
