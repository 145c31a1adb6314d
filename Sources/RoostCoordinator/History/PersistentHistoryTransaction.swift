// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
package import RoostStore

/// One save, batch request or upsert in the history of a store.
///
/// ```swift
/// let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
/// for transaction in try context.execute(request).transactions ?? [] {
///   print(transaction.timestamp, transaction.author ?? "-", transaction.changes?.count ?? 0)
/// }
/// ```
public struct PersistentHistoryTransaction: Sendable {
  /// The time of the transaction; never before that of the previous transaction in the same store.
  public let timestamp: Date
  /// The number of the transaction in its store. Within an answer, the numbers of a store ascend.
  public let transactionNumber: Int64
  /// The UUID of the store.
  public let storeID: String
  /// The program that saved: the name of its executable.
  public let bundleID: String
  /// The process that saved: the name of its executable and its process ID.
  public let processID: String
  /// The name of the context; nil if it has none.
  public let contextName: String?
  /// The `transactionAuthor` of the context; nil if it has none.
  public let author: String?
  /// The token right after the transaction.
  public let token: PersistentHistoryToken
  /// The changes, one for each record: insertions, updates, deletions. nil if changes were not requested.
  public internal(set) var changes: [PersistentHistoryChange]?
  /// The previous states of links that the transaction added, moved or removed; nil if changes were not requested, or
  /// the history kept no previous values.
  package internal(set) var previousLinks: [StorePreviousLink]?
  /// The numbers of the transactions of its store that the transaction reverts.
  package internal(set) var reverted: [Int64] = []
  /// The ID shared by the transactions of one save over several stores; nil for a save to one store.
  package internal(set) var commonSaveID: UUID?
  /// The ID shared by the transactions of an undo group over several saves; nil for none.
  package internal(set) var undoGroup: UUID?

  /// The transaction without its changes.
  var withoutChanges: PersistentHistoryTransaction {
    var result = self
    (result.changes, result.previousLinks) = (nil, nil)
    return result
  }
}

/// The change of one record in a transaction.
///
/// ```swift
/// switch change.changeType {
/// case .insert, .update: refresh(change.changedObjectID)
/// case .delete: remove(change.changedObjectID, remembering: change.tombstone?["uuid"])
/// }
/// ```
public struct PersistentHistoryChange: Sendable {
  /// A number that is unique among the changes of the store.
  public let changeID: Int64
  /// The ID of the record.
  public let changedObjectID: ObjectID
  /// The type of the change.
  public let changeType: PersistentHistoryChangeType
  /// For an update, the changed properties that the model still has; nil for other changes.
  public let updatedProperties: Set<PropertyDescription>?
  /// For a deletion, the last values of the attributes that are preserved in the history; nil if there are none.
  @_disfavoredOverload
  public var tombstone: [String: Value]? { lastValues }
  package let lastValues: [String: Value]?
  /// The values of attributes and to-one relationships before the transaction, by their current names.
  package let earlierValues: [String: Value]?
  /// The change in the store's representation.
  package let stored: StoreRecordChange
  private let owner: Owner

  /// The transaction, without its changes.
  public var transaction: PersistentHistoryTransaction? { owner.transaction }

  /// The transaction, shared by all of its changes.
  final class Owner: Sendable {
    let transaction: PersistentHistoryTransaction

    init(_ transaction: PersistentHistoryTransaction) {
      self.transaction = transaction
    }
  }

  init(
    changeID: Int64, id: ObjectID, change: StoreRecordChange, properties: Set<PropertyDescription>?,
    tombstone: [String: Value]?, earlierValues: [String: Value]?, owner: Owner
  ) {
    self.changeID = changeID
    changedObjectID = id
    changeType = PersistentHistoryChangeType(rawValue: Int(change.kind.rawValue)) ?? .update
    updatedProperties = properties
    lastValues = tombstone
    self.earlierValues = earlierValues
    stored = change
    self.owner = owner
  }
}

/// The type of a change, with Core Data's raw values.
///
/// ```swift
/// if change.changeType == .delete { forget(change.changedObjectID) }
/// ```
public enum PersistentHistoryChangeType: Int, Sendable, Hashable, CaseIterable {
  /// The record was inserted.
  case insert = 0
  /// The record was updated.
  case update = 1
  /// The record was deleted.
  case delete = 2
}
