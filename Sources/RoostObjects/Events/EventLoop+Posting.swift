// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator

extension EventLoop {
  /// Posts what happened in an event (B97).
  func postObjectsDidChange(_ lists: ObjectLists) {
    ContextNotification.objectsDidChange.post(by: context) { lists.userInfo() }
    context.eventState.messageHub?.send {
      ManagedObjectContext.ObjectsDidChangeMessage(
        contextName: context.name, changes: lists.ids, hasInvalidatedAll: lists.hasInvalidatedAll)
    }
  }

  /// Posts that a save begins (B101).
  func postWillSave() {
    ContextNotification.willSave.post(by: context) { nil }
    context.eventState.messageHub?.send {
      ManagedObjectContext.WillSaveMessage(contextName: context.name)
    }
  }

  /// Whether anybody may be told of saves.
  var areSavesHeard: Bool {
    ContextNotification.didSave.isWanted || ContextNotification.didSaveObjectIDs.isWanted
      || context.eventState.messageHub != nil
  }

  /// Posts what a save wrote (B102).
  ///
  /// - Parameter token: The token of the stores' histories after it, where it is known.
  func postDidSave(_ lists: ObjectLists, _ token: PersistentHistoryToken? = nil) {
    let tokenKey = PersistentStoreCoordinator.persistentHistoryTokenKey
    ContextNotification.didSave.post(by: context) {
      var info = lists.userInfo(required: [.insertedObjects, .updatedObjects, .deletedObjects])
      // The snapshot that comes next is taken now, for those who want to hear of it.
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

  /// Posts what a merge brought (B216).
  func postDidMerge(_ changes: ManagedObjectContext.ObjectIDChanges) {
    ContextNotification.didMergeChangesObjectIDs.post(by: context) { changes.userInfo }
    context.eventState.messageHub?.send {
      ManagedObjectContext.DidMergeChangesMessage(contextName: context.name, changes: changes)
    }
  }
}
