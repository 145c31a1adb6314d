// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The stores of a coordinator as they were at one moment (B292). A store that cannot show a snapshot is shown as it is
/// (B297); one that was added later is not there (B296).
///
/// The rows that are read through it have caches of their own: nothing old comes among what others read.
package final class StoreGeneration: Sendable {
  let list: StoreList
  /// Whether all of its stores show a snapshot, so that it stays of one moment whatever is saved meanwhile.
  let isWhole: Bool
  private let frozen: [AttachedStore]

  init(_ stores: [AttachedStore]) throws {
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
    isWhole = frozen.count == stores.count
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
  /// Takes the state of all stores at this moment, as far as they can show a snapshot: what this coordinator saved
  /// before is there, what it saves later is not, and a save over several stores is in all of them or in none (X20).
  /// Where whole saves are read, that holds for saves over several stores of others, too (X21).
  ///
  /// - Throws: What a store throws.
  /// - Complexity: One round trip a store; more while other threads save to several stores without a pause.
  package func takeGeneration() throws -> StoreGeneration {
    let stores = route().stores
    guard stores.count > 1 else { return try StoreGeneration(stores) }
    if saveTraffic.reads == .wholeSaves {
      return try WholeSaves(coordinator: self, stores: stores).reading {
        try StoreGeneration(stores)
      }
    }
    return try stores.betweenCommits { try saveTraffic.reading { try StoreGeneration(stores) } }
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

extension SaveTraffic {
  /// Runs a read of several stores as ``reading(_:)`` does, unless no save can come between anyway.
  ///
  /// - Parameter generation: What is read; nil for the newest state. Not even a generation is always of one moment:
  ///   stores that show no snapshot are read as they are (B297).
  func reading<Result>(
    _ generation: StoreGeneration?, _ body: () throws -> Result
  ) throws -> Result {
    try generation?.isWhole == true ? body() : reading(body)
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
