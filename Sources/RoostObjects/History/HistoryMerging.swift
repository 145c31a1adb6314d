// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
import RoostModel
import RoostStore

/// Merging of remote saves into a context; the public API is in the module `Roost`.
package struct HistoryMerging {
  private let context: ManagedObjectContext

  package init(of context: ManagedObjectContext) {
    self.context = context
  }

  /// Whether the context merges remote saves automatically.
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
              "A child of another context merges the saves of its parent, and cannot merge those "
                + "of other processes: let the parent do it."))
        }
      }
      context.automaticallyMergesChangesFromParent = true
      context.inbox.hearsRemoteChanges = true
      RemoteChanges(to: coordinator).beginMerging()
    }
  }

  /// Makes a context that merges its siblings' saves also merge the saves of other coordinators and processes.
  ///
  /// Observers that use Core Data's APIs, such as a fetched results controller, see remote saves this way.
  ///
  /// It has no effect on a context without automatic merging, on one pinned to a snapshot, and on a child, which sees
  /// the saves that its parent merges. Without a history in every store it has no effect either: all objects would be
  /// refreshed, even after own saves, so a program has to ask for that itself.
  ///
  /// Merging ends when the last lease is released, unless the program has enabled it, too. Later remote saves are
  /// merged when it starts again, before the next fetch.
  ///
  /// - Returns: A lease, to be kept as long as remote saves are to be merged; nil where none are merged.
  package func followSiblings() -> RemoteHearing? {
    guard context.automaticallyMergesChangesFromParent, context.parentContext == nil,
      !context.upstream.isPinned, let coordinator = context.persistentStoreCoordinator,
      CoordinatorHistory(of: coordinator).isKeptByAll
    else { return nil }
    defer { RemoteChanges(to: coordinator).beginMerging() }
    return RemoteHearing(by: context.inbox)
  }

  /// Merges all saves since a history token.
  ///
  /// - Returns: The token for the next call.
  /// - Throws: `persistentHistoryTokenExpired`, or the error of a store; nothing is merged then.
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

/// A lease on the merging of remote saves, held by one controller that observes the context's objects.
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
  /// Combines a change with the earlier ones: the result compares the state before the first with the state after the
  /// last.
  fileprivate mutating func add(_ change: PersistentHistoryChange) {
    add(change.stored.kind, of: change.changedObjectID)
  }

  mutating func add(_ kind: StoreRecordChange.Kind, of id: ObjectID) {
    switch kind {
    case .insert:
      // A deleted record that is inserted again counts as an update.
      if deletedObjectIDs.remove(id) != nil {
        updatedObjectIDs.insert(id)
      } else {
        insertedObjectIDs.insert(id)
      }
    case .update: if !insertedObjectIDs.contains(id) { updatedObjectIDs.insert(id) }
    case .delete:
      updatedObjectIDs.remove(id)
      // A record that came and went may have been read in between.
      insertedObjectIDs.remove(id)
      deletedObjectIDs.insert(id)
    }
  }
}
