// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// The keys of the user info of a context's notifications; the dictionary has their raw values, as in Core Data.
  ///
  /// ```swift
  /// let key = ManagedObjectContext.NotificationKey.insertedObjects.rawValue
  /// let inserted = note.userInfo?[key] as? Set<ManagedObject> ?? []
  /// ```
  public enum NotificationKey: String, Sendable, Hashable, CaseIterable {
    /// A `Set<ManagedObject>` of those that were inserted.
    case insertedObjects = "inserted"
    /// A `Set<ManagedObject>` of those that were changed.
    case updatedObjects = "updated"
    /// A `Set<ManagedObject>` of those that were deleted.
    case deletedObjects = "deleted"
    /// A `Set<ManagedObject>` of those whose values were read anew without being changed here.
    case refreshedObjects = "refreshed"
    /// A `Set<ManagedObject>` of those that became useless one by one.
    case invalidatedObjects = "invalidated"
    /// An `[ObjectID]` of all objects of the context, or of a store, that became useless together.
    case invalidatedAllObjects = "invalidatedAll"
    /// A `Set<ObjectID>` of those that were inserted.
    case insertedObjectIDs = "inserted_objectIDs"
    /// A `Set<ObjectID>` of those that were changed.
    case updatedObjectIDs = "updated_objectIDs"
    /// A `Set<ObjectID>` of those that were deleted.
    case deletedObjectIDs = "deleted_objectIDs"
    /// A `Set<ObjectID>` of those whose values were read anew.
    case refreshedObjectIDs = "refreshed_objectIDs"
    /// A `Set<ObjectID>` of those that became useless.
    case invalidatedObjectIDs = "invalidated_objectIDs"
    /// The generation of the stores that a context has moved to. No notification has it: a context that is pinned to a
    /// generation moves only when the program asks it to.
    case queryGeneration = "newQueryGeneration"
  }
}
