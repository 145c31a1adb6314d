// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostMigration
import RoostModel
import RoostStore

/// Builds the new content of a store in the place beside it, so that the store stays as it is until that is complete.
struct StoreReplacementPlace {
  private let store: PersistentStoreDescription

  init(of store: PersistentStoreDescription) {
    self.store = store
  }

  /// Replaces the store with one that a closure makes.
  ///
  /// - Parameter make: Makes a store at the place that it is given. If it throws, the store is unchanged.
  /// - Throws: `storeBusy` when another process uses the place or the store, and what the closure and the driver
  ///   throw.
  func replace(_ make: (PersistentStoreDescription) throws -> Void) throws {
    let lock = try store.lockMigration(for: .secondPlace)
    defer { withExtendedLifetime(lock) {} }
    let place = try store.secondPlace()
    // An earlier attempt that was killed may have left something.
    place.discardStore()
    defer { place.discardStore() }
    try make(place)
    try lock?.check()
    try store.type.driver.replace(store, with: place)
  }
}
