// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension ConsistentRead {
  /// Makes the reader of whole saves for a request over several stores; nil when that is not enabled.
  ///
  /// - Parameters:
  ///   - stores: The stores that the request concerns.
  ///   - list: All stores.
  init?(
    for request: CoordinatorFetch, of stores: [AttachedStore], of list: StoreList,
    in coordinator: PersistentStoreCoordinator
  ) {
    guard list.stores.count > 1, coordinator.saveTraffic.reads == .wholeSaves else { return nil }
    // A request that follows relationships into other stores may read any of them.
    if FetchAcross(request, of: stores, in: coordinator, at: nil) != nil {
      self.init(coordinator: coordinator, stores: list.stores)
    } else if stores.count > 1 {
      self.init(coordinator: coordinator, stores: stores)
    } else {
      return nil
    }
  }

  /// Performs a request.
  func fetch(_ request: CoordinatorFetch) throws -> CoordinatorFetchResult {
    let readings = stores.map { $0.cache.beginReading() }
    defer { for (store, reading) in zip(stores, readings) { store.cache.end(reading) } }
    let result: CoordinatorFetchResult
    // Kept alive until everything was read from it.
    let generation: StoreGeneration
    if try stores.allSatisfy({ try $0.hasSnapshots() }) {
      // With snapshots, only their creation is repeated: the request itself may take any time while others write.
      generation = try reading { try StoreGeneration(stores) }
      result = try coordinator.fetch(request, in: generation)
    } else {
      (generation, result) = try reading {
        let generation = try StoreGeneration(stores)
        return (generation, try coordinator.fetch(request, in: generation))
      }
    }
    return withExtendedLifetime(generation) {
      guard case .rows(let rows) = result else { return result }
      return .rows(rows.handedOver(to: stores, request.fillsRowCache ? readings : []))
    }
  }
}

extension AttachedStore {
  /// Whether the store supports snapshots, which can be read while others write.
  fileprivate func hasSnapshots() throws -> Bool { try requesting { $0.snapshots != nil } }
}
