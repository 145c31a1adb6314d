// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator

extension EventLoop {
  /// Posts the changes of an event (B97).
  func postObjectsDidChange(_ lists: ObjectLists) {
    ContextNotification.objectsDidChange.post(by: context) { lists.userInfo() }
    context.eventState.messageHub?.send {
      ManagedObjectContext.ObjectsDidChangeMessage(
        contextName: context.name, changes: lists.ids, hasInvalidatedAll: lists.hasInvalidatedAll)
    }
  }

  /// Posts the start of a save (B101).
  func postWillSave() {
    ContextNotification.willSave.post(by: context) { nil }
    context.eventState.messageHub?.send {
      ManagedObjectContext.WillSaveMessage(contextName: context.name)
    }
  }

  /// Whether saves can have observers.
  var areSavesHeard: Bool {
    ContextNotification.didSave.isWanted || ContextNotification.didSaveObjectIDs.isWanted
      || context.eventState.messageHub != nil
  }

  /// Posts the objects written by a save (B102).
  ///
  /// - Parameter token: The history token after the save, if known.
  func postDidSave(_ lists: ObjectLists, _ token: PersistentHistoryToken? = nil) {
    let tokenKey = PersistentStoreCoordinator.persistentHistoryTokenKey
    ContextNotification.didSave.post(by: context) {
      var info = lists.userInfo(required: [.insertedObjects, .updatedObjects, .deletedObjects])
      // The next snapshot is taken now, so that its token can be posted.
      if context.followsCoreData, context.upstream.isPinned,
        (try? context.upstream.currentGeneration()) != nil
      {
        info[ManagedObjectContext.NotificationKey.queryGeneration.rawValue] =
          context.queryGenerationToken
      }
      info[tokenKey] = token
      return info
    }
    ContextNotification.didSaveObjectIDs.post(by: context) {
      var info = lists.ids.userInfo
      info[tokenKey] = token
      return info
    }
    context.eventState.messageHub?.send {
      ManagedObjectContext.DidSaveObjectIDsMessage(
        contextName: context.name, changes: lists.ids, token: token)
    }
  }

  /// Posts the objects of a merge (B216).
  func postDidMerge(_ changes: ManagedObjectContext.ObjectIDChanges) {
    ContextNotification.didMergeChangesObjectIDs.post(by: context) { changes.userInfo }
    context.eventState.messageHub?.send {
      ManagedObjectContext.DidMergeChangesMessage(contextName: context.name, changes: changes)
    }
  }
}
