// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
import RoostObjects

extension NSNotification.Name {
  /// Objects were changed in an event that ended.
  public static let NSManagedObjectContextObjectsDidChange =
    ManagedObjectContext.didChangeObjectsNotification
  /// A save is about to begin.
  public static let NSManagedObjectContextWillSave =
    ManagedObjectContext.willSaveObjectsNotification
  /// A save ended.
  public static let NSManagedObjectContextDidSave =
    ManagedObjectContext.didSaveObjectsNotification
  /// A save ended; with IDs.
  public static let NSManagedObjectContextDidSaveObjectIDs =
    ManagedObjectContext.didSaveObjectIDsNotification
  /// Saves of others were merged into a context; with IDs.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs =
    ManagedObjectContext.didMergeChangesObjectIDsNotification
  /// Stores are about to be added, removed or changed by iCloud; never posted.
  public static let NSPersistentStoreCoordinatorStoresWillChange =
    NSNotification.Name("NSPersistentStoreCoordinatorStoresWillChange")
  /// Stores were added to or removed from a coordinator.
  public static let NSPersistentStoreCoordinatorStoresDidChange =
    persistentStoreCoordinatorStoresDidChange
  /// A store is about to be removed from its coordinator.
  public static let NSPersistentStoreCoordinatorWillRemoveStore =
    persistentStoreCoordinatorWillRemoveStore
  /// A store was written, by this process or another one.
  public static let NSPersistentStoreRemoteChange = persistentStoreRemoteChange
}

/// A `Set<NSManagedObject>` of the inserted objects.
public let NSInsertedObjectsKey = ManagedObjectContext.NotificationKey.insertedObjects.rawValue
/// A `Set<NSManagedObject>` of the updated objects.
public let NSUpdatedObjectsKey = ManagedObjectContext.NotificationKey.updatedObjects.rawValue
/// A `Set<NSManagedObject>` of the deleted objects.
public let NSDeletedObjectsKey = ManagedObjectContext.NotificationKey.deletedObjects.rawValue
/// A `Set<NSManagedObject>` of the refreshed objects.
public let NSRefreshedObjectsKey = ManagedObjectContext.NotificationKey.refreshedObjects.rawValue
/// A `Set<NSManagedObject>` of individually invalidated objects.
public let NSInvalidatedObjectsKey =
  ManagedObjectContext.NotificationKey.invalidatedObjects.rawValue
/// An `[NSManagedObjectID]` of all objects that were invalidated together.
public let NSInvalidatedAllObjectsKey =
  ManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue
/// A `Set<NSManagedObjectID>` of the inserted objects.
public let NSInsertedObjectIDsKey = ManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
/// A `Set<NSManagedObjectID>` of the updated objects.
public let NSUpdatedObjectIDsKey = ManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue
/// A `Set<NSManagedObjectID>` of the deleted objects.
public let NSDeletedObjectIDsKey = ManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue
/// A `Set<NSManagedObjectID>` of the refreshed objects.
public let NSRefreshedObjectIDsKey =
  ManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue
/// A `Set<NSManagedObjectID>` of the invalidated objects.
public let NSInvalidatedObjectIDsKey =
  ManagedObjectContext.NotificationKey.invalidatedObjectIDs.rawValue
/// The stores that were added.
public let NSAddedPersistentStoresKey = PersistentStoreCoordinator.addedPersistentStoresKey
/// The stores that were removed.
public let NSRemovedPersistentStoresKey = PersistentStoreCoordinator.removedPersistentStoresKey
/// The UUID of a store: in its metadata, and in notifications of the store that was written.
public let NSStoreUUIDKey = PersistentStoreCoordinator.storeUUIDKey
/// The URL of the store that was written.
public let NSPersistentStoreURLKey = PersistentStoreCoordinator.persistentStoreURLKey
/// The token of the history of the store that was written; absent for a store without a history.
public let NSPersistentHistoryTokenKey = PersistentStoreCoordinator.persistentHistoryTokenKey
/// The pairs of old and new stores whose URL or UUID changed.
public let NSUUIDChangedPersistentStoresKey =
  PersistentStoreCoordinator.uuidChangedPersistentStoresKey
/// The query generation of a context's refresh; absent here.
public let NSManagedObjectContextQueryGenerationKey =
  ManagedObjectContext.NotificationKey.queryGeneration.rawValue
