// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Turns what a store tells of its transactions into the words of the model: IDs instead of keys, properties instead of
/// names.
struct HistoryTranslation {
  private let store: AttachedStore
  /// The properties of each entity by the names that they have in transactions.
  private var properties: [Int: [String: PropertyDescription]] = [:]

  init(_ store: AttachedStore) {
    self.store = store
  }

  /// How far the number of a change leaves room for those of its transaction.
  private static let indexBits: Int64 = 28

  /// The transaction as a program sees it.
  ///
  /// - Parameter withChanges: Whether its changes are wanted.
  mutating func transaction(
    _ found: StoreTransaction, withChanges: Bool
  ) throws -> PersistentHistoryTransaction {
    let content = found.content
    var result = PersistentHistoryTransaction(
      timestamp: Date(timeIntervalSinceReferenceDate: found.timestamp),
      transactionNumber: found.number, storeID: store.identity.identifier,
      bundleID: content.bundleID, processID: content.processID,
      contextName: content.origin.contextName, author: content.origin.author,
      token: PersistentHistoryToken(stores: [store.identity.identifier: found.position]),
      changes: nil)
    guard withChanges else { return result }
    let owner = PersistentHistoryChange.Owner(result)
    var changes: [PersistentHistoryChange] = []
    for (index, change) in try content.changes().enumerated() {
      // Records of an entity that was removed from the model have no place in it.
      guard let id = store.objectID(forKey: change.key) else { continue }
      let known = change.kind == .insert ? [:] : properties(of: id.entity, change.key)
      let updated = change.kind == .update ? Set(change.properties.compactMap { known[$0] }) : nil
      let tombstone = change.tombstone.map { values in
        Dictionary(
          values.compactMap { name, value in known[name].map { ($0.name, value) } },
          uniquingKeysWith: { first, _ in first })
      }
      changes.append(
        PersistentHistoryChange(
          changeID: found.number << Self.indexBits | Int64(index), id: id, change: change,
          properties: updated, tombstone: tombstone, owner: owner))
    }
    result.changes = changes
    return result
  }

  /// The properties of an entity by their names, and by those that they had before they were renamed.
  private mutating func properties(
    of entity: EntityDescription, _ key: Int64
  ) -> [String: PropertyDescription] {
    let code = RecordKey.entityCode(of: key)
    if let known = properties[code] { return known }
    var result: [String: PropertyDescription] = [:]
    for property in entity.properties { result[property.name] = property }
    for property in entity.properties {
      guard let former = property.renamingIdentifier, result[former] == nil else { continue }
      result[former] = property
    }
    properties[code] = result
    return result
  }
}
