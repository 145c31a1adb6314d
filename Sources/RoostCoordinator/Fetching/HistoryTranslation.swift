// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Translates a store's transactions into terms of the model: IDs instead of keys, property descriptions instead of
/// names.
struct HistoryTranslation {
  private let store: AttachedStore
  /// The properties of each entity by the names used in transactions.
  private var properties: [Int: [String: PropertyDescription]] = [:]

  init(_ store: AttachedStore) {
    self.store = store
  }

  /// The number of low bits of a change ID that number the changes of a transaction.
  private static let indexBits: Int64 = 28

  /// Returns the transaction in the form that programs receive.
  ///
  /// - Parameter withChanges: Whether to include its changes.
  mutating func transaction(
    _ transaction: StoreTransaction, withChanges: Bool
  ) throws -> PersistentHistoryTransaction {
    let content = transaction.content
    var result = PersistentHistoryTransaction(
      timestamp: Date(timeIntervalSinceReferenceDate: transaction.timestamp),
      transactionNumber: transaction.number, storeID: store.identity.identifier,
      bundleID: content.bundleID, processID: content.processID,
      contextName: content.origin.contextName, author: content.origin.author,
      token: PersistentHistoryToken(stores: [store.identity.identifier: transaction.position]),
      changes: nil)
    result.reverted = content.revertedNumbers
    (result.commonSaveID, result.undoGroup) = (content.saveID, content.undoGroup)
    guard withChanges else { return result }
    let owner = PersistentHistoryChange.Owner(result)
    var changes: [PersistentHistoryChange] = []
    let (found, links) = try content.decoded()
    result.previousLinks = content.hasPreviousValues ? links : nil
    for (index, change) in found.enumerated() {
      // Records of an entity that was removed from the model are omitted.
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
          changeID: transaction.number << Self.indexBits | Int64(index), id: id, change: change,
          properties: updated, tombstone: tombstone,
          earlierValues: change.previous.map { earlierValues($0, known) }, owner: owner))
    }
    result.changes = changes
    return result
  }

  /// Returns the values of attributes, composites with all elements, and the destinations of to-one relationships.
  private func earlierValues(
    _ values: [StorePreviousValue], _ known: [String: PropertyDescription]
  ) -> [String: Value] {
    var result: [String: Value] = [:]
    for value in values {
      let path = value.name.split(separator: ".").map(String.init)
      guard value.kind != .position, let head = path.first, let property = known[head] else {
        continue
      }
      guard value.kind == .reference else {
        let earlier = result[property.name] ?? .null
        result[property.name] = Self.setting(value.value, at: path.dropFirst(), of: earlier)
        continue
      }
      guard case .integer(let key) = value.value, let id = try? store.destinationID(forKey: key)
      else {
        result[property.name] = .null
        continue
      }
      result[property.name] = .objectID(id)
    }
    return result
  }

  /// Returns a value, or a composite in which an element is set to it; a composite with only nil elements is nil.
  private static func setting(
    _ value: Value, at path: ArraySlice<String>, of whole: Value
  ) -> Value {
    guard let element = path.first else { return value }
    var elements: [String: Value] = [:]
    if case .composite(let known) = whole { elements = known }
    let inner = setting(value, at: path.dropFirst(), of: elements[element] ?? .null)
    elements[element] = inner.isNull ? nil : inner
    return elements.isEmpty ? .null : .composite(elements)
  }

  /// Returns the properties of an entity by their names, and by the names that they had before they were renamed.
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
