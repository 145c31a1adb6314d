// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostStore

extension PersistentStoreType {
  /// Stores in memory: ordered tables and indexes, free snapshots, and no data that outlives the process.
  ///
  /// Without a URL each store is new, and gone when it is removed. Stores with equal URLs share their records, and
  /// keep them when the last of them is removed, until the store is destroyed: so a store can be opened again, or by
  /// a second coordinator.
  ///
  /// ```swift
  /// try coordinator.addPersistentStore(type: .inMemory, configuration: "Notes")
  /// ```
  public static let inMemory = PersistentStoreType(
    rawValue: InMemoryStoreDriver.typeName, driver: InMemoryStoreDriver())
}

extension PersistentStoreDescription {
  /// Describes a store in memory.
  ///
  /// ```swift
  /// let notes = PersistentStoreDescription.inMemory(configuration: "Notes")
  /// let shared = PersistentStoreDescription.inMemory(named: "preview")
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name under which stores share their records; nil for a private store.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  public static func inMemory(
    named name: String? = nil, configuration: String? = nil
  ) -> PersistentStoreDescription {
    var components = URLComponents()
    components.scheme = "memory"
    components.path = name ?? ""
    return PersistentStoreDescription(
      type: .inMemory, url: name == nil ? nil : components.url, configuration: configuration)
  }
}
