// SPDX-License-Identifier: Apache-2.0

extension ObjectLists {
  /// The user info of a notification, without keys for empty lists, unless they are `required`.
  func userInfo(
    required: Set<ManagedObjectContext.NotificationKey> = []
  ) -> [AnyHashable: Any] {
    var result: [AnyHashable: Any] = [:]
    func add(
      _ key: ManagedObjectContext.NotificationKey, _ objects: ContiguousArray<ManagedObject>
    ) {
      if !objects.isEmpty || required.contains(key) { result[key.rawValue] = Set(objects) }
    }
    add(.insertedObjects, inserted)
    add(.updatedObjects, updated)
    add(.deletedObjects, deleted)
    add(.refreshedObjects, refreshed)
    add(.invalidatedObjects, invalidated)
    if hasInvalidatedAll {
      result[ManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue] = invalidatedAll
    }
    return result
  }

  var ids: ManagedObjectContext.ObjectIDChanges {
    var result = ManagedObjectContext.ObjectIDChanges()
    result.insertedObjectIDs = Set(inserted.lazy.map(\.identity))
    result.updatedObjectIDs = Set(updated.lazy.map(\.identity))
    result.deletedObjectIDs = Set(deleted.lazy.map(\.identity))
    result.refreshedObjectIDs = Set(refreshed.lazy.map(\.identity))
    result.invalidatedObjectIDs = Set(invalidated.lazy.map(\.identity)).union(invalidatedAll)
    return result
  }
}
