// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
import RoostModel

extension PersistentHistoryTransaction {
  /// Returns the transaction's changes as a notification for
  /// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
  ///
  /// ```swift
  /// context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
  /// ```
  /// - Returns: The notification, with the IDs of the inserted, updated and deleted records; without IDs if the
  ///   request did not ask for changes. It has no object.
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
