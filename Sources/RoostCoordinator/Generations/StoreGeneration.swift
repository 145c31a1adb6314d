// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// A snapshot of the stores of a coordinator (B292). A store without snapshots is read as it is (B297); a store that
/// was added later is not included (B296).
///
/// Rows read through it have caches of their own: no old rows enter the shared caches.
package final class StoreGeneration: Sendable {
  let list: StoreList
  /// Whether all of its stores have snapshots, so that later saves do not change what it shows.
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

  /// Makes a generation of stores in a past state.
  init(past stores: [AttachedStore]) {
    list = StoreList(stores)
    isWhole = true
    frozen = stores
  }

  /// Whether the generation has a snapshot of a store.
  func holds(_ store: AttachedStore) -> Bool { frozen.contains { $0 === store } }

  deinit {
    for store in frozen { store.letGo() }
  }
}

extension PersistentStoreCoordinator {
  /// Takes a snapshot of all stores, as far as they support it. It includes everything that this coordinator saved
  /// before and nothing that it saves later, and a save over several stores is in all of them or in none (X20). With
  /// reads of whole saves, the latter holds for saves of other coordinators, too (X21).
  ///
  /// - Throws: The error of a store.
  /// - Complexity: One round trip for each store; more while other threads keep saving to several stores.
  package func takeGeneration() throws -> StoreGeneration {
    let stores = route().stores
    guard stores.count > 1 else { return try StoreGeneration(stores) }
    if saveTraffic.reads == .wholeSaves {
      return try ConsistentRead(coordinator: self, stores: stores).reading {
        try StoreGeneration(stores)
      }
    }
    SaveRecovery(coordinator: self).look(at: stores)
    return try stores.betweenCommits { try saveTraffic.reading { try StoreGeneration(stores) } }
  }

  /// Returns the stores that a request reads.
  func stores(in generation: StoreGeneration?) -> StoreList {
    let current = route()
    guard let generation else { return current }
    // A store that was removed meanwhile is removed from every generation (B235).
    let left = generation.list.stores.filter { current.store($0.identity) != nil }
    return left.count == generation.list.stores.count ? generation.list : StoreList(left)
  }
}

extension SaveRecovery {
  /// Runs a read of several stores while no save over several stores of this coordinator becomes visible, or directly
  /// when none can interfere. What others have left in the stores is finished first.
  ///
  /// - Parameters:
  ///   - stores: The stores that are read.
  ///   - generation: The generation that is read; nil for the newest state. A generation may also be inconsistent:
  ///     stores without snapshots are read as they are (B297).
  func reading<Result>(
    _ stores: @autoclosure () -> some Sequence<AttachedStore>, in generation: StoreGeneration?,
    _ body: () throws -> Result
  ) throws -> Result {
    guard generation?.isWhole != true else { return try body() }
    if generation == nil, !coordinator.saveTraffic.isReading { look(at: stores()) }
    return try coordinator.saveTraffic.reading(body)
  }
}

extension AttachedStore {
  /// Returns a read-only snapshot of the store; nil when the backend does not support snapshots.
  fileprivate func frozen() throws -> AttachedStore? {
    guard let snapshots = try requesting({ $0.snapshots }) else { return nil }
    let copy = try asking(.snapshot, OperationSubject()) { store in
      try (store.snapshots ?? snapshots).takeSnapshot()
    }
    return AttachedStore(frozen: copy, of: self)
  }
}
