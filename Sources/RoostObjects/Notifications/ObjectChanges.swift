// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

extension ManagedObjectContext {
  /// Which objects a notification names. The sets are disjoint.
  ///
  /// The objects belong to the context that posted; to use them in another context, take their IDs.
  ///
  /// ```swift
  /// for object in ManagedObjectContext.ObjectChanges(note).updatedObjects { print(object.objectID) }
  /// ```
  public struct ObjectChanges {
    /// Those that came into the context as new, or came back by an undo or a rollback.
    public var insertedObjects: Set<ManagedObject> = []
    /// Those that were changed.
    public var updatedObjects: Set<ManagedObject> = []
    /// Those that were deleted, or were new and left the context.
    public var deletedObjects: Set<ManagedObject> = []
    /// Those whose values were read anew without being changed here.
    public var refreshedObjects: Set<ManagedObject> = []
    /// Those that became useless one by one.
    public var invalidatedObjects: Set<ManagedObject> = []
    /// The IDs of all objects of the context, or of a store, that became useless together.
    public var invalidatedAllObjects: [ObjectID] = []
    /// Whether the context was reset or a store removed: also when nobody held an object.
    public var hasInvalidatedAllObjects = false

    /// Names no object.
    public init() {}

    /// Reads what a notification of a context names.
    ///
    /// - Parameter notification: A notification; of another sender it names nothing.
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
  /// Which objects were saved or merged, by their IDs: for any thread and any context.
  ///
  /// ```swift
  /// let ids = ManagedObjectContext.ObjectIDChanges(note).insertedObjectIDs
  /// ```
  public struct ObjectIDChanges: Sendable, Hashable {
    /// Those that are new.
    public var insertedObjectIDs: Set<ObjectID> = []
    /// Those that were changed.
    public var updatedObjectIDs: Set<ObjectID> = []
    /// Those that were deleted.
    public var deletedObjectIDs: Set<ObjectID> = []
    /// Those whose values were read anew.
    public var refreshedObjectIDs: Set<ObjectID> = []
    /// Those that became useless.
    public var invalidatedObjectIDs: Set<ObjectID> = []

    /// Names no object.
    public init() {}

    /// Reads what a notification with IDs names, or the IDs of the objects that one with objects names.
    ///
    /// - Parameter notification: A notification of a context; of another sender it names nothing.
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

    /// The user info of a notification; keys without IDs are left out.
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
