// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostStore

extension Notification.Name {
  /// The stores of a coordinator are about to change. The object is the coordinator. If a store cannot be opened,
  /// they stay as they were.
  public static let persistentStoreCoordinatorStoresWillChange = Notification.Name(
    "RoostPersistentStoreCoordinatorStoresWillChange")
  /// Stores were added to or removed from a coordinator. The object is the coordinator.
  public static let persistentStoreCoordinatorStoresDidChange = Notification.Name(
    "RoostPersistentStoreCoordinatorStoresDidChange")
  /// A store is about to be removed from its coordinator. The object is the store.
  public static let persistentStoreCoordinatorWillRemoveStore = Notification.Name(
    "RoostPersistentStoreCoordinatorWillRemoveStore")
}

extension PersistentStoreCoordinator {
  /// In `Notification/Name/persistentStoreCoordinatorStoresDidChange`: the stores that were added.
  public static let addedPersistentStoresKey = "NSAddedPersistentStoresKey"
  /// In `Notification/Name/persistentStoreCoordinatorStoresDidChange`: the stores that were removed.
  public static let removedPersistentStoresKey = "NSRemovedPersistentStoresKey"
  /// In `Notification/Name/persistentStoreCoordinatorStoresDidChange`: after a migration, the old store and the new
  /// one, in this order.
  public static let uuidChangedPersistentStoresKey = "NSUUIDChangedPersistentStoresKey"

  func post(
    _ name: Notification.Name, added: [AttachedStore] = [], removed: [AttachedStore] = [],
    migrated: (old: AttachedStore, new: AttachedStore)? = nil
  ) {
    var userInfo: [AnyHashable: Any] = [:]
    if let migrated {
      userInfo[Self.uuidChangedPersistentStoresKey] = posted([migrated.old, migrated.new])
    }
    if !added.isEmpty { userInfo[Self.addedPersistentStoresKey] = posted(added) }
    if !removed.isEmpty { userInfo[Self.removedPersistentStoresKey] = posted(removed) }
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
  }

  func post(_ name: Notification.Name, object: AttachedStore) {
    let face = state.withLock { $0.makeFace }.map { object.face($0) }
    NotificationCenter.default.post(name: name, object: face ?? object.store)
  }

  /// Returns the stores in the form that notifications carry.
  private func posted(_ stores: [AttachedStore]) -> Any {
    guard let makeFace = state.withLock({ $0.makeFace }) else { return stores.map(\.store) }
    return stores.map { $0.face(makeFace) }
  }
}
