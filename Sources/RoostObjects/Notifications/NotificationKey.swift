// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// The keys of the user info of a context's notifications; the dictionary has their raw values, as in Core Data.
  ///
  /// ```swift
  /// let key = ManagedObjectContext.NotificationKey.insertedObjects.rawValue
  /// let inserted = note.userInfo?[key] as? Set<ManagedObject> ?? []
  /// ```
  public enum NotificationKey: String, Sendable, Hashable, CaseIterable {
    /// A `Set<ManagedObject>` of inserted objects.
    case insertedObjects = "inserted"
    /// A `Set<ManagedObject>` of updated objects.
    case updatedObjects = "updated"
    /// A `Set<ManagedObject>` of deleted objects.
    case deletedObjects = "deleted"
    /// A `Set<ManagedObject>` of objects whose values were read again, without changes in this context.
    case refreshedObjects = "refreshed"
    /// A `Set<ManagedObject>` of objects that were invalidated individually.
    case invalidatedObjects = "invalidated"
    /// An `[ObjectID]` of all objects of the context, or of a store, that were invalidated together.
    case invalidatedAllObjects = "invalidatedAll"
    /// A `Set<ObjectID>` of inserted objects.
    case insertedObjectIDs = "inserted_objectIDs"
    /// A `Set<ObjectID>` of updated objects.
    case updatedObjectIDs = "updated_objectIDs"
    /// A `Set<ObjectID>` of deleted objects.
    case deletedObjectIDs = "deleted_objectIDs"
    /// A `Set<ObjectID>` of objects whose values were read again.
    case refreshedObjectIDs = "refreshed_objectIDs"
    /// A `Set<ObjectID>` of invalidated objects.
    case invalidatedObjectIDs = "invalidated_objectIDs"
    /// The generation of the stores that a pinned context has moved to, in
    /// ``ManagedObjectContext/didSaveObjectsNotification`` of a context that follows Core Data's rules, as in the
    /// product with Core Data's names.
    case queryGeneration = "newQueryGeneration"
  }
}
