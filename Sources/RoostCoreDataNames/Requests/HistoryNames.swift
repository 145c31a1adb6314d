// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel
public import RoostObjects
import RoostStore

/// ``PersistentHistoryChangeRequest``.
public typealias NSPersistentHistoryChangeRequest = PersistentHistoryChangeRequest
/// ``PersistentHistoryResult``.
public typealias NSPersistentHistoryResult = PersistentHistoryResult
/// ``PersistentHistoryResultType``.
public typealias NSPersistentHistoryResultType = PersistentHistoryResultType
/// ``PersistentHistoryTransaction``.
public typealias NSPersistentHistoryTransaction = PersistentHistoryTransaction
/// ``PersistentHistoryChange``.
public typealias NSPersistentHistoryChange = PersistentHistoryChange
/// ``PersistentHistoryChangeType``.
public typealias NSPersistentHistoryChangeType = PersistentHistoryChangeType
/// ``PersistentHistoryToken``: `Codable`, where Core Data's is archived by `NSKeyedArchiver`.
public typealias NSPersistentHistoryToken = PersistentHistoryToken

extension PersistentHistoryChange {
  /// For a deletion, the last values of the attributes that are preserved in the history, under their names; nil where
  /// none are.
  public var tombstone: [AnyHashable: Any]? {
    guard let values = lastValues else { return nil }
    let attributes = changedObjectID.entity.attributesByName
    return Dictionary(
      uniqueKeysWithValues: values.map { name, value in
        (AnyHashable(name), attributes[name].flatMap { try? $0.makeAny(from: value) } ?? value)
      })
  }
}

extension PersistentHistoryChangeRequest {
  /// The stores that are asked; nil for all that keep a history. Stores that were removed are not listed.
  public var affectedStores: [NSPersistentStore]? {
    get { NSPersistentStore.all(of: affected.stores) }
    set { affected.stores = newValue?.map(\.store) }
  }
}

extension PersistentStoreCoordinator {
  /// Returns the token after everything that the stores hold now.
  ///
  /// - Parameter stores: The stores; nil for all that keep a history.
  /// - Returns: The token; nil when none of the stores keeps a history, or one cannot be asked.
  public func currentPersistentHistoryToken(
    fromStores stores: [NSPersistentStore]?
  ) -> NSPersistentHistoryToken? {
    try? currentPersistentHistoryToken(fromStores: stores?.map { $0.store as any PersistentStore })
  }
}
