// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostStore

extension PersistentStoreCoordinator {
  /// The usage of the attached stores' connection pools, by the stores' names in instruments; stores without
  /// connections are left out.
  ///
  /// ```swift
  /// let text = metrics.prometheusText(connections: coordinator.connections)
  /// ```
  /// - Complexity: No request; each store's pool is locked briefly.
  public var connections: [String: StoreConnections] { storeConnections }
}
