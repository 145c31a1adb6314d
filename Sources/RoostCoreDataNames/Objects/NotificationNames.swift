// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
import RoostObjects

extension NSNotification.Name {
  /// An event ended in which objects were changed.
  public static let NSManagedObjectContextObjectsDidChange =
    ManagedObjectContext.didChangeObjectsNotification
  /// A save begins.
  public static let NSManagedObjectContextWillSave =
    ManagedObjectContext.willSaveObjectsNotification
  /// A save ended.
  public static let NSManagedObjectContextDidSave =
    ManagedObjectContext.didSaveObjectsNotification
  /// A save ended: the IDs.
  public static let NSManagedObjectContextDidSaveObjectIDs =
    ManagedObjectContext.didSaveObjectIDsNotification
  /// What others saved was merged into a context: the IDs.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs =
    ManagedObjectContext.didMergeChangesObjectIDsNotification
  /// Stores are about to be added, removed or to change their content by iCloud; never posted.
  public static let NSPersistentStoreCoordinatorStoresWillChange =
    NSNotification.Name("NSPersistentStoreCoordinatorStoresWillChange")
  /// Stores were added to or removed from a coordinator.
  public static let NSPersistentStoreCoordinatorStoresDidChange =
    persistentStoreCoordinatorStoresDidChange
  /// A store is about to leave its coordinator.
  public static let NSPersistentStoreCoordinatorWillRemoveStore =
    persistentStoreCoordinatorWillRemoveStore
  /// A store was written, by this process or another one.
  public static let NSPersistentStoreRemoteChange = persistentStoreRemoteChange
}

/// A `Set<NSManagedObject>` of those that were inserted.
public let NSInsertedObjectsKey = ManagedObjectContext.NotificationKey.insertedObjects.rawValue
/// A `Set<NSManagedObject>` of those that were changed.
public let NSUpdatedObjectsKey = ManagedObjectContext.NotificationKey.updatedObjects.rawValue
/// A `Set<NSManagedObject>` of those that were deleted.
public let NSDeletedObjectsKey = ManagedObjectContext.NotificationKey.deletedObjects.rawValue
/// A `Set<NSManagedObject>` of those whose values were read anew.
public let NSRefreshedObjectsKey = ManagedObjectContext.NotificationKey.refreshedObjects.rawValue
/// A `Set<NSManagedObject>` of those that became useless one by one.
public let NSInvalidatedObjectsKey =
  ManagedObjectContext.NotificationKey.invalidatedObjects.rawValue
/// An `[NSManagedObjectID]` of all that became useless together.
public let NSInvalidatedAllObjectsKey =
  ManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue
/// A `Set<NSManagedObjectID>` of those that were inserted.
public let NSInsertedObjectIDsKey = ManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
/// A `Set<NSManagedObjectID>` of those that were changed.
public let NSUpdatedObjectIDsKey = ManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue
/// A `Set<NSManagedObjectID>` of those that were deleted.
public let NSDeletedObjectIDsKey = ManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue
/// A `Set<NSManagedObjectID>` of those whose values were read anew.
public let NSRefreshedObjectIDsKey =
  ManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue
/// A `Set<NSManagedObjectID>` of those that became useless.
public let NSInvalidatedObjectIDsKey =
  ManagedObjectContext.NotificationKey.invalidatedObjectIDs.rawValue
/// The stores that were added.
public let NSAddedPersistentStoresKey = PersistentStoreCoordinator.addedPersistentStoresKey
/// The stores that were removed.
public let NSRemovedPersistentStoresKey = PersistentStoreCoordinator.removedPersistentStoresKey
/// The UUID of a store: in its metadata, and of the store that was written.
public let NSStoreUUIDKey = PersistentStoreCoordinator.storeUUIDKey
/// The URL of the store that was written.
public let NSPersistentStoreURLKey = PersistentStoreCoordinator.persistentStoreURLKey
/// The token of the history of the store that was written; absent for a store that keeps none.
public let NSPersistentHistoryTokenKey = PersistentStoreCoordinator.persistentHistoryTokenKey
/// The pairs of old and new stores whose place or UUID changed.
public let NSUUIDChangedPersistentStoresKey =
  PersistentStoreCoordinator.uuidChangedPersistentStoresKey
/// The generation of the stores that a context's refresh was made from; absent here.
public let NSManagedObjectContextQueryGenerationKey =
  ManagedObjectContext.NotificationKey.queryGeneration.rawValue
