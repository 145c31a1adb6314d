// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// An item that conditions on the history are evaluated on, or that their key paths lead to.
final class HistoryItem {
  /// The kind of the item.
  enum Content {
    case transaction(PersistentHistoryTransaction)
    case change(PersistentHistoryChange, of: HistoryItem)
    case object(ObjectID)
    case property(String)
  }

  let content: Content
  /// The attributes, in the form that the shared evaluator reads.
  private(set) lazy var row = makeRow()

  init(_ content: Content) {
    self.content = content
  }

  var entity: EntityDescription { row.layout.entity }

  private func makeRow() -> Row {
    typealias Key = HistoryModel.Key
    switch content {
    case .transaction(let transaction):
      let row = Row(layout: HistoryModel.transaction.layout, key: 0, version: 1)
      row.set(transaction.author, Key.author)
      row.set(transaction.bundleID, Key.bundleID)
      row.set(transaction.contextName, Key.contextName)
      row.set(transaction.processID, Key.processID)
      row.set(transaction.storeID, Key.storeID)
      if let slot = row.layout.slot(named: Key.timestamp) {
        row.setDouble(transaction.timestamp.timeIntervalSinceReferenceDate, at: slot)
      }
      if let id = transaction.commonSaveID, let slot = row.layout.slot(named: Key.saveID) {
        row.setUUID(id, at: slot)
      }
      row.set(transaction.transactionNumber, Key.transactionNumber)
      return row
    case .change(let change, _):
      let row = Row(layout: HistoryModel.change.layout, key: 0, version: 1)
      row.set(change.changeID, Key.changeID)
      row.set(Int64(change.changeType.rawValue), Key.changeType)
      row.set(change.changedObjectID.entity.name, Key.changedEntity)
      return row
    case .object: return Row(layout: HistoryModel.object.layout, key: 0, version: 1)
    case .property(let name):
      let row = Row(layout: HistoryModel.property.layout, key: 0, version: 1)
      row.set(name, Key.name)
      return row
    }
  }
}

extension Row {
  fileprivate func set(_ text: String?, _ name: String) {
    guard let text, let slot = layout.slot(named: name) else { return }
    setString(text, at: slot)
  }

  fileprivate func set(_ number: Int64, _ name: String) {
    guard let slot = layout.slot(named: name) else { return }
    setInteger(number, at: slot)
  }
}

/// Provides transactions and changes to the shared evaluator.
final class HistorySource: EvaluationSource {
  /// Identifies an item of a history.
  enum Identity: Hashable {
    case transaction(store: String, Int64)
    case change(store: String, Int64)
    case object(ObjectID)
    case property(String)
  }

  /// The items created for the current evaluation: their rows must stay in memory.
  private var given: [HistoryItem] = []

  /// Releases the items of the previous evaluation.
  func begin(_ item: HistoryItem) {
    given.removeAll(keepingCapacity: true)
    given.append(item)
  }

  private func giving(_ content: HistoryItem.Content) -> HistoryItem {
    let item = HistoryItem(content)
    given.append(item)
    return item
  }

  func base(of item: HistoryItem) -> UnsafeMutableRawPointer { item.row.base }

  func identity(of item: HistoryItem) -> Identity {
    switch item.content {
    case .transaction(let transaction):
      .transaction(store: transaction.storeID, transaction.transactionNumber)
    case .change(let change, _):
      .change(store: change.transaction?.storeID ?? "", change.changeID)
    case .object(let id): .object(id.current)
    case .property(let name): .property(name)
    }
  }

  func identity(for id: ObjectID) -> Identity? { .object(id.current) }

  func objectID(for identity: Identity) -> ObjectID? {
    if case .object(let id) = identity { id } else { nil }
  }

  func entity(of item: HistoryItem) -> EntityDescription { item.entity }

  func tieBreaker(of item: HistoryItem) -> Int64 {
    switch item.content {
    case .transaction(let transaction): transaction.transactionNumber
    case .change(let change, _): change.changeID
    case .object(let id): id.key
    case .property: 0
    }
  }

  func destination(
    of relationship: RelationshipDescription, from item: HistoryItem
  ) -> HistoryItem? {
    guard case .change(let change, let transaction) = item.content else { return nil }
    return relationship.name == HistoryModel.Key.transaction
      ? transaction : giving(.object(change.changedObjectID))
  }

  func destinationIdentity(
    of relationship: RelationshipDescription, from item: HistoryItem
  ) -> Identity? {
    destination(of: relationship, from: item).map(identity(of:))
  }

  func destinations(
    of relationship: RelationshipDescription, from item: HistoryItem
  ) -> [HistoryItem] {
    switch item.content {
    case .transaction(let transaction):
      (transaction.changes ?? []).map { giving(.change($0, of: item)) }
    case .change(let change, _):
      (change.updatedProperties ?? []).map { giving(.property($0.name)) }
    case .object, .property: []
    }
  }
}
