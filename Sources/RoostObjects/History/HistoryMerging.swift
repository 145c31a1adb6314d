// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
import RoostModel
import RoostStore

/// What a context takes over of what others save: for the members that the module `Roost` shows.
package struct HistoryMerging {
  private let context: ManagedObjectContext

  package init(of context: ManagedObjectContext) {
    self.context = context
  }

  /// Whether it does so by itself.
  package var isAutomatic: Bool {
    get { context.inbox.hearsRemoteChanges }
    nonmutating set {
      guard newValue, !isAutomatic else {
        context.inbox.hearsRemoteChanges = newValue
        return
      }
      guard context.parentContext == nil, let coordinator = context.persistentStoreCoordinator
      else {
        return context.onOwnQueue {
          $0.readErrors.refuse(
            PersistenceError(
              .invalidRequest,
              "A child of another context merges what its parent saves, and cannot merge what other "
                + "processes save: let the parent do it."))
        }
      }
      context.automaticallyMergesChangesFromParent = true
      context.inbox.hearsRemoteChanges = true
      RemoteChanges(to: coordinator).beginMerging()
    }
  }

  /// Lets a context that merges what its siblings save merge what other coordinators and processes save, too, so that
  /// those see it who follow its objects as Core Data's programs do.
  ///
  /// A context that merges nothing by itself keeps what it has, and so does one that reads one snapshot; a child sees
  /// what its parent merges. Of a store without a history everything would be read anew after own saves, too: a program
  /// that wants that says so.
  ///
  /// It ends with the last of those for whom it is done, unless the program has asked for it, too. What others save
  /// after that is caught up with when it begins again, before anything is fetched.
  ///
  /// - Returns: What lives as long as it is wanted; nil where nothing is merged.
  package func followSiblings() -> RemoteHearing? {
    guard context.automaticallyMergesChangesFromParent, context.parentContext == nil,
      !context.upstream.isPinned, let coordinator = context.persistentStoreCoordinator,
      CoordinatorHistory(of: coordinator).isKeptByAll
    else { return nil }
    defer { RemoteChanges(to: coordinator).beginMerging() }
    return RemoteHearing(by: context.inbox)
  }

  /// Takes over what was saved since a token.
  ///
  /// - Returns: The token to go on from.
  /// - Throws: `persistentHistoryTokenExpired`, or what a store says; nothing is merged then.
  package func merge(after token: PersistentHistoryToken?) throws -> PersistentHistoryToken {
    context.checkQueue()
    let coordinator = try context.coordinator()
    let transactions = try CoordinatorHistory(of: coordinator).transactions(
      after: .token(token), stores: nil, withChanges: true)
    var changes = ManagedObjectContext.ObjectIDChanges()
    var next = token ?? PersistentHistoryToken(stores: [:])
    for transaction in transactions {
      next = next.merging(transaction.token)
      for change in transaction.changes ?? [] { changes.add(change) }
    }
    if !transactions.isEmpty { context.mergeChanges(changes) }
    return next
  }
}

/// That a context merges what other coordinators and processes save, for one controller that follows its objects.
package final class RemoteHearing {
  private let inbox: ContextInbox

  fileprivate init(by inbox: ContextInbox) {
    self.inbox = inbox
    inbox.borrowRemoteChanges()
  }

  deinit {
    inbox.returnRemoteChanges()
  }
}

extension ManagedObjectContext.ObjectIDChanges {
  /// Adds a change to those before it: what counts is what was there before all, and what is there after all.
  fileprivate mutating func add(_ change: PersistentHistoryChange) {
    add(change.stored.kind, of: change.changedObjectID)
  }

  mutating func add(_ kind: StoreRecordChange.Kind, of id: ObjectID) {
    switch kind {
    case .insert:
      // A record that was removed and comes back is another version of the one that was there.
      if deletedObjectIDs.remove(id) != nil {
        updatedObjectIDs.insert(id)
      } else {
        insertedObjectIDs.insert(id)
      }
    case .update: if !insertedObjectIDs.contains(id) { updatedObjectIDs.insert(id) }
    case .delete:
      updatedObjectIDs.remove(id)
      if insertedObjectIDs.remove(id) == nil { deletedObjectIDs.insert(id) }
    }
  }
}
