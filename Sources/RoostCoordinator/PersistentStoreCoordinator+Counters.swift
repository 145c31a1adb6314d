// SPDX-License-Identifier: Apache-2.0

public import RoostStore
import Synchronization

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

  /// Shows the statements and plans of all stores, of those that are added later too.
  ///
  /// ```swift
  /// coordinator.setLog { line in print(line) }  // [hr.sqlite] SELECT ...
  /// ```
  ///
  /// - Parameter sink: Receives the lines, on the threads of the requests; it must not use the coordinator. nil ends
  ///   it.
  public func setLog(_ sink: StoreLog.Sink?) {
    let stores = state.withLock { state in
      state.logSink = sink
      return state.list.stores
    }
    for store in stores { store.log.listen(sink) }
  }
}
