// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

extension PersistentStoreCoordinator {
  /// What all attached stores were asked since they were added.
  ///
  /// ```swift
  /// let before = coordinator.counters
  /// _ = try context.fetch(request)
  /// print((coordinator.counters - before).roundTrips)  // 1
  /// ```
  public var counters: StoreCounters {
    attachedStores.reduce(StoreCounters()) { $0 + $1.counters }
  }

  /// What one store was asked since it was added; zeros when it is not attached.
  ///
  /// - Parameter store: An attached store.
  public func counters(for store: any PersistentStore) -> StoreCounters {
    attachedStore(for: store)?.counters ?? StoreCounters()
  }

  /// How busy the connections of the attached stores are, by the stores' names as instruments know them; stores without
  /// connections are left out.
  ///
  /// ```swift
  /// let text = metrics.prometheusText(connections: coordinator.connections)
  /// ```
  /// - Complexity: No request; each store's pool is locked for a moment.
  public var connections: [String: StoreConnections] {
    var result: [String: StoreConnections] = [:]
    for store in attachedStores {
      guard let connections = store.store.connections else { continue }
      // Two stores can have files of the same name in different folders.
      let name = store.log.storeName
      result[result[name] == nil ? name : "\(name) (\(store.identity.identifier))"] = connections
    }
    return result
  }
}
