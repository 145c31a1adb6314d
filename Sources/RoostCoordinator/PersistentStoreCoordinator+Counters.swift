// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

extension PersistentStoreCoordinator {
  /// The counters of all attached stores, summed, since the stores were added.
  ///
  /// ```swift
  /// let before = coordinator.counters
  /// _ = try context.fetch(request)
  /// print((coordinator.counters - before).roundTrips)  // 1
  /// ```
  public var counters: StoreCounters {
    attachedStores.reduce(StoreCounters()) { $0 + $1.counters }
  }

  /// Returns the counters of one store since it was added; zeros when it is not attached.
  ///
  /// - Parameter store: An attached store.
  public func counters(for store: any PersistentStore) -> StoreCounters {
    attachedStore(for: store)?.counters ?? StoreCounters()
  }

  /// The connections of the attached stores, by the stores' names as instruments know them.
  package var storeConnections: [String: StoreConnections] {
    var result: [String: StoreConnections] = [:]
    for store in attachedStores {
      guard let connections = store.store.connections else { continue }
      // Two stores can have files with the same name in different folders.
      let name = store.log.storeName
      result[result[name] == nil ? name : "\(name) (\(store.identity.identifier))"] = connections
    }
    return result
  }
}
