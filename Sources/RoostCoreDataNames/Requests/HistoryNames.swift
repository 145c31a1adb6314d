// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostModel
public import RoostObjects
public import RoostQuery
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
/// ``PersistentHistoryToken``: a `Codable` value; `NSKeyedArchiver` and `NSKeyedUnarchiver` accept it, too.
public typealias NSPersistentHistoryToken = PersistentHistoryToken

extension PersistentHistoryChange {
  /// For a deletion, the last values of the attributes that are preserved in the history, by name; nil if there are
  /// none.
  public var tombstone: [AnyHashable: Any]? {
    guard let values = lastValues else { return nil }
    let attributes = changedObjectID.entity.attributesByName
    return Dictionary(
      uniqueKeysWithValues: values.map { name, value in
        (AnyHashable(name), attributes[name].flatMap { try? $0.makeAny(from: value) } ?? value)
      })
  }
}

extension PersistentHistoryTransaction {
  /// The entity of transactions in a fetch request on the history; never nil.
  public static var entityDescription: NSEntityDescription? { HistoryModel.transaction }

  /// The entity of transactions, the same for all contexts; never nil.
  public static func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { HistoryModel.transaction }

  /// Returns a new request for transactions; never nil.
  public static var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    FetchRequest(entity: HistoryModel.transaction)
  }
}

extension PersistentHistoryChange {
  /// The entity of changes in a fetch request on the history; never nil.
  public static var entityDescription: NSEntityDescription? { HistoryModel.change }

  /// The entity of changes, the same for all contexts; never nil.
  public static func entityDescription(
    with context: NSManagedObjectContext
  ) -> NSEntityDescription? { HistoryModel.change }

  /// Returns a new request for changes; never nil.
  public static var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    FetchRequest(entity: HistoryModel.change)
  }
}

extension PersistentHistoryChangeRequest {
  /// The stores to use; nil for all that keep a history. Removed stores are not listed.
  public var affectedStores: [NSPersistentStore]? {
    get { NSPersistentStore.all(of: affected.stores) }
    set { affected.stores = newValue?.map(\.store) }
  }
}

extension PersistentStoreCoordinator {
  /// Returns the token after everything that the stores hold now.
  ///
  /// - Parameter stores: The stores; nil for all that keep a history.
  /// - Returns: The token; nil when none of the stores keeps a history, or one cannot be reached.
  public func currentPersistentHistoryToken(
    fromStores stores: [NSPersistentStore]?
  ) -> NSPersistentHistoryToken? {
    try? currentPersistentHistoryToken(fromStores: stores?.map { $0.store as any PersistentStore })
  }
}
