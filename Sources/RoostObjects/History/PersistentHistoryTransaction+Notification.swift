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
