// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
package import RoostStore

/// One save, batch request or upsert, as the history of a store tells it.
///
/// ```swift
/// let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
/// for transaction in try context.execute(request).transactions ?? [] {
///   print(transaction.timestamp, transaction.author ?? "-", transaction.changes?.count ?? 0)
/// }
/// ```
public struct PersistentHistoryTransaction: Sendable {
  /// When it was; never before the transaction before it in the same store.
  public let timestamp: Date
  /// Its number in its store. In one answer the numbers of a store ascend.
  public let transactionNumber: Int64
  /// The UUID of the store.
  public let storeID: String
  /// The program that saved: the name of its executable.
  public let bundleID: String
  /// The process that saved: the name of its executable and its number.
  public let processID: String
  /// The name of the context; nil for one without.
  public let contextName: String?
  /// The `transactionAuthor` of the context; nil for one without.
  public let author: String?
  /// The token right after it.
  public let token: PersistentHistoryToken
  /// What it did to each record, once each: insertions, updates, deletions. nil where changes were not asked for.
  public internal(set) var changes: [PersistentHistoryChange]?
  /// What the links were that it made, moved or ended; nil where changes were not asked for, or the history kept no
  /// previous values.
  package internal(set) var previousLinks: [StorePreviousLink]?
  /// The numbers of the transactions of its store that it takes back.
  package internal(set) var reverted: [Int64] = []
  /// What the transactions of one save in several stores have in common; nil for that of a save in one store.
  package internal(set) var commonSaveID: UUID?
  /// What the transactions of one undo group over several saves have in common; nil for none.
  package internal(set) var undoGroup: UUID?

  /// The transaction as one whose changes were not asked for.
  var withoutChanges: PersistentHistoryTransaction {
    var result = self
    (result.changes, result.previousLinks) = (nil, nil)
    return result
  }
}

/// What a transaction did to one record.
///
/// ```swift
/// switch change.changeType {
/// case .insert, .update: refresh(change.changedObjectID)
/// case .delete: remove(change.changedObjectID, remembering: change.tombstone?["uuid"])
/// }
/// ```
public struct PersistentHistoryChange: Sendable {
  /// A number that no other change of the store has.
  public let changeID: Int64
  /// The record.
  public let changedObjectID: ObjectID
  /// What was done.
  public let changeType: PersistentHistoryChangeType
  /// For an update, the properties that changed, as far as the model still has them; nil for other changes.
  public let updatedProperties: Set<PropertyDescription>?
  /// For a deletion, the last values of the attributes that are preserved in the history; nil where none are.
  @_disfavoredOverload
  public var tombstone: [String: Value]? { lastValues }
  package let lastValues: [String: Value]?
  /// The values of attributes and to-one relationships before the transaction, by the names of the model.
  package let earlierValues: [String: Value]?
  /// The change as the store tells it.
  package let stored: StoreRecordChange
  private let owner: Owner

  /// The transaction, without its changes.
  public var transaction: PersistentHistoryTransaction? { owner.transaction }

  /// What all changes of a transaction share.
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

/// What was done to a record, with Core Data's numbers.
///
/// ```swift
/// if change.changeType == .delete { forget(change.changedObjectID) }
/// ```
public enum PersistentHistoryChangeType: Int, Sendable, Hashable, CaseIterable {
  /// It was inserted.
  case insert = 0
  /// It was changed.
  case update = 1
  /// It was deleted.
  case delete = 2
}
