// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

extension ManagedObjectContext {
  /// The objects of a notification. The sets are disjoint.
  ///
  /// The objects belong to the context that posted; to use them in another context, take their IDs.
  ///
  /// ```swift
  /// for object in ManagedObjectContext.ObjectChanges(note).updatedObjects { print(object.objectID) }
  /// ```
  public struct ObjectChanges {
    /// The new objects, and those that came back by an undo or a rollback.
    public var insertedObjects: Set<ManagedObject> = []
    /// The updated objects.
    public var updatedObjects: Set<ManagedObject> = []
    /// The deleted objects, and new ones that left the context.
    public var deletedObjects: Set<ManagedObject> = []
    /// The objects whose values were read again, without changes in this context.
    public var refreshedObjects: Set<ManagedObject> = []
    /// The objects that were invalidated individually.
    public var invalidatedObjects: Set<ManagedObject> = []
    /// The IDs of all objects of the context, or of a store, that were invalidated together.
    public var invalidatedAllObjects: [ObjectID] = []
    /// Whether the context was reset or a store removed, even if the program held no object.
    public var hasInvalidatedAllObjects = false

    /// Creates an empty set of changes.
    public init() {}

    /// Reads the objects of a context's notification.
    ///
    /// - Parameter notification: A notification; one with another sender has no objects.
    public init(_ notification: Notification) {
      guard notification.object is ManagedObjectContext else { return }
      func objects(_ key: NotificationKey) -> Set<ManagedObject> {
        notification.userInfo?[key.rawValue] as? Set<ManagedObject> ?? []
      }
      insertedObjects = objects(.insertedObjects)
      updatedObjects = objects(.updatedObjects)
      deletedObjects = objects(.deletedObjects)
      refreshedObjects = objects(.refreshedObjects)
      invalidatedObjects = objects(.invalidatedObjects)
      let all = NotificationKey.invalidatedAllObjects.rawValue
      let ids = notification.userInfo?[all] as? [ObjectID]
      invalidatedAllObjects = ids ?? []
      hasInvalidatedAllObjects = ids != nil
    }
  }
}

extension ManagedObjectContext {
  /// The saved or merged objects by ID: for any thread and any context.
  ///
  /// ```swift
  /// let ids = ManagedObjectContext.ObjectIDChanges(note).insertedObjectIDs
  /// ```
  public struct ObjectIDChanges: Sendable, Hashable {
    /// The IDs of new objects.
    public var insertedObjectIDs: Set<ObjectID> = []
    /// The IDs of updated objects.
    public var updatedObjectIDs: Set<ObjectID> = []
    /// The IDs of deleted objects.
    public var deletedObjectIDs: Set<ObjectID> = []
    /// The IDs of objects whose values were read again.
    public var refreshedObjectIDs: Set<ObjectID> = []
    /// The IDs of invalidated objects.
    public var invalidatedObjectIDs: Set<ObjectID> = []

    /// Creates an empty set of changes.
    public init() {}

    /// Reads the IDs of a context's notification, or those of its objects.
    ///
    /// - Parameter notification: A notification of a context; one with another sender has no objects.
    public init(_ notification: Notification) {
      let objects = ObjectChanges(notification)
      func ids(_ key: NotificationKey, _ objects: Set<ManagedObject>) -> Set<ObjectID> {
        let found = notification.userInfo?[key.rawValue] as? Set<ObjectID>
        return found ?? Set(objects.lazy.map(\.identity))
      }
      insertedObjectIDs = ids(.insertedObjectIDs, objects.insertedObjects)
      updatedObjectIDs = ids(.updatedObjectIDs, objects.updatedObjects)
      deletedObjectIDs = ids(.deletedObjectIDs, objects.deletedObjects)
      refreshedObjectIDs = ids(.refreshedObjectIDs, objects.refreshedObjects)
      invalidatedObjectIDs = ids(.invalidatedObjectIDs, objects.invalidatedObjects)
      invalidatedObjectIDs.formUnion(objects.invalidatedAllObjects)
    }

    /// The user info of a notification, without keys for empty sets.
    var userInfo: [AnyHashable: Any] {
      var result: [AnyHashable: Any] = [:]
      func add(_ key: NotificationKey, _ ids: Set<ObjectID>) {
        if !ids.isEmpty { result[key.rawValue] = ids }
      }
      add(.insertedObjectIDs, insertedObjectIDs)
      add(.updatedObjectIDs, updatedObjectIDs)
      add(.deletedObjectIDs, deletedObjectIDs)
      add(.refreshedObjectIDs, refreshedObjectIDs)
      add(.invalidatedObjectIDs, invalidatedObjectIDs)
      return result
    }
  }
}
