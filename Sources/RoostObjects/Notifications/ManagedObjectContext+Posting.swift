// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The objects of a notification as lists: sets are made of them when it is posted.
struct ObjectLists {
  var inserted: ContiguousArray<ManagedObject> = []
  var updated: ContiguousArray<ManagedObject> = []
  var deleted: ContiguousArray<ManagedObject> = []
  var refreshed: ContiguousArray<ManagedObject> = []
  var invalidated: ContiguousArray<ManagedObject> = []
  var invalidatedAll: [ObjectID] = []
  /// Whether all objects became useless, if there were any.
  var hasInvalidatedAll = false

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && invalidated.isEmpty && !hasInvalidatedAll
  }

  /// The user info of a notification; keys without objects are left out, unless they are `required`.
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

extension ManagedObjectContext {
  /// Posts what happened in an event (B97).
  func postObjectsDidChange(_ lists: ObjectLists) {
    ContextNotification.objectsDidChange.post(by: self) { lists.userInfo() }
    messageHub?.send {
      ObjectsDidChangeMessage(
        contextName: name, changes: lists.ids, hasInvalidatedAll: lists.hasInvalidatedAll)
    }
  }

  /// Posts that a save begins (B101).
  func postWillSave() {
    ContextNotification.willSave.post(by: self) { nil }
    messageHub?.send { WillSaveMessage(contextName: name) }
  }

  /// Posts what a save wrote (B102).
  func postDidSave(_ lists: ObjectLists) {
    ContextNotification.didSave.post(by: self) {
      var info = lists.userInfo(required: [.insertedObjects, .updatedObjects, .deletedObjects])
      // The snapshot that comes next is taken now, for those who want to hear of it.
      if followsCoreData, isPinned, (try? currentGeneration()) != nil {
        info[NotificationKey.queryGeneration.rawValue] = queryGenerationToken
      }
      return info
    }
    ContextNotification.didSaveObjectIDs.post(by: self) { lists.ids.userInfo }
    messageHub?.send { DidSaveObjectIDsMessage(contextName: name, changes: lists.ids) }
  }

  /// Posts what a merge brought (B216).
  func postDidMerge(_ changes: ObjectIDChanges) {
    ContextNotification.didMergeChangesObjectIDs.post(by: self) { changes.userInfo }
    messageHub?.send { DidMergeChangesMessage(contextName: name, changes: changes) }
  }
}
