// SPDX-License-Identifier: Apache-2.0

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
}
