// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel

extension PersistentHistoryTransaction {
  /// Returns what the transaction did as a notification that
  /// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)`` takes.
  ///
  /// ```swift
  /// context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
  /// ```
  /// - Returns: The notification, with the IDs of what was inserted, changed and deleted; without IDs where changes
  ///   were not asked for. It has no object.
  public func objectIDNotification() -> Notification {
    var ids: [PersistentHistoryChangeType: Set<ObjectID>] = [:]
    for change in changes ?? [] {
      ids[change.changeType, default: []].insert(change.changedObjectID)
    }
    let keys: [(PersistentHistoryChangeType, ManagedObjectContext.NotificationKey)] = [
      (.insert, .insertedObjectIDs), (.update, .updatedObjectIDs), (.delete, .deletedObjectIDs),
    ]
    var userInfo: [AnyHashable: Any] = [:]
    for (kind, key) in keys { userInfo[key.rawValue] = ids[kind] }
    return Notification(
      name: ManagedObjectContext.didSaveObjectIDsNotification, object: nil, userInfo: userInfo)
  }
}

extension ManagedObjectContext {
  /// Takes over everything that was saved since a token, by whatever process, as
  /// ``mergeChanges(fromContextDidSave:)`` does for one save.
  ///
  /// Objects that are registered here and were changed are read anew and keep what was changed here; deleted ones
  /// leave. What this context has saved itself is merged too, which changes nothing.
  ///
  /// ```swift
  /// token = try context.mergeHistory(after: token)
  /// ```
  /// - Parameter token: Where the last merge ended; nil for all that the stores keep.
  /// - Returns: The token to go on from.
  /// - Throws: ``PersistenceError`` with code `persistentHistoryTokenExpired`: then call ``refreshAllObjects()``, and
  ///   go on from the coordinator's current token. Nothing is merged then.
  /// - Complexity: One round trip a store for the history, and at most one for the rows of objects that are registered.
  public func mergeHistory(
    after token: PersistentHistoryToken?
  ) throws -> PersistentHistoryToken {
    checkQueue()
    let coordinator = try self.coordinator()
    let transactions = try CoordinatorHistory(of: coordinator).transactions(
      after: .token(token), stores: nil, withChanges: true)
    var changes = ObjectIDChanges()
    var next = token ?? PersistentHistoryToken(stores: [:])
    for transaction in transactions {
      next = next.merging(transaction.token)
      for change in transaction.changes ?? [] { changes.add(change) }
    }
    if !transactions.isEmpty { mergeChanges(changes) }
    return next
  }
}

extension ManagedObjectContext {
  /// Whether the context takes over by itself what other coordinators and other processes save, besides the saves of
  /// its own coordinator: ``automaticallyMergesChangesFromParent`` is switched on with it, and says where and when it
  /// merges.
  ///
  /// The stores are looked at once a second. Of a store that keeps a history only what was written is read anew; of any
  /// other one, all registered objects are when anything was written. It may be set from any thread; a child of another
  /// context cannot have it, because it sees what its parent sees: its next save throws `invalidRequest` then.
  ///
  /// ```swift
  /// context.mergesRemoteChanges = true
  /// ```
  public var mergesRemoteChanges: Bool {
    get { inbox.hearsRemoteChanges }
    set {
      guard newValue != inbox.hearsRemoteChanges else { return }
      guard newValue else {
        inbox.hearsRemoteChanges = false
        return
      }
      guard parentContext == nil, let coordinator = persistentStoreCoordinator else {
        return onOwnQueue {
          $0.readErrors.refuse(
            PersistenceError(
              .invalidRequest,
              "A child of another context merges what its parent saves, and cannot merge what other "
                + "processes save: let the parent do it."))
        }
      }
      automaticallyMergesChangesFromParent = true
      inbox.hearsRemoteChanges = true
      RemoteChanges(to: coordinator).beginMerging()
    }
  }
}

extension ManagedObjectContext.ObjectIDChanges {
  /// Adds a change to those before it: what counts is what was there before all, and what is there after all.
  fileprivate mutating func add(_ change: PersistentHistoryChange) {
    let id = change.changedObjectID
    switch change.changeType {
    case .insert: insertedObjectIDs.insert(id)
    case .update: if !insertedObjectIDs.contains(id) { updatedObjectIDs.insert(id) }
    case .delete:
      updatedObjectIDs.remove(id)
      if insertedObjectIDs.remove(id) == nil { deletedObjectIDs.insert(id) }
    }
  }
}
