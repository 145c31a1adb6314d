// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostStore

extension Notification.Name {
  /// The stores of a coordinator, which is the notification's object, are about to change (B106). When a store cannot
  /// be opened they stay as they were.
  public static let persistentStoreCoordinatorStoresWillChange = Notification.Name(
    "RoostPersistentStoreCoordinatorStoresWillChange")
  /// Stores were added to or removed from a coordinator, which is the notification's object (B106).
  public static let persistentStoreCoordinatorStoresDidChange = Notification.Name(
    "RoostPersistentStoreCoordinatorStoresDidChange")
  /// A store, which is the notification's object, is about to leave its coordinator (B106).
  public static let persistentStoreCoordinatorWillRemoveStore = Notification.Name(
    "RoostPersistentStoreCoordinatorWillRemoveStore")
}

extension PersistentStoreCoordinator {
  /// In `Notification/Name/persistentStoreCoordinatorStoresDidChange`: the stores that were added.
  public static let addedPersistentStoresKey = "NSAddedPersistentStoresKey"
  /// In `Notification/Name/persistentStoreCoordinatorStoresDidChange`: the stores that were removed.
  public static let removedPersistentStoresKey = "NSRemovedPersistentStoresKey"

  func post(
    _ name: Notification.Name, added: [any PersistentStore] = [],
    removed: [any PersistentStore] = []
  ) {
    var userInfo: [AnyHashable: Any] = [:]
    if !added.isEmpty { userInfo[Self.addedPersistentStoresKey] = added }
    if !removed.isEmpty { userInfo[Self.removedPersistentStoresKey] = removed }
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
  }

  func post(_ name: Notification.Name, object: any PersistentStore) {
    NotificationCenter.default.post(name: name, object: object)
  }
}
