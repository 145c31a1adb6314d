// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Translates a store's transactions into terms of the model: IDs instead of keys, property descriptions instead of
/// names.
struct HistoryTranslation {
  private let store: AttachedStore
  /// The properties of each entity by the names used in transactions.
  private var properties: [Int: [String: Meaning]] = [:]

  /// The property that a name means; several when the name was used again by another version of the model.
  private struct Meaning {
    var property: PropertyDescription
    var others: [PropertyDescription] = []
    /// Whether the name may also mean a property that was removed.
    var mayBeGone = false

    /// The property, if there is only one.
    var sole: PropertyDescription? { others.isEmpty && !mayBeGone ? property : nil }
  }

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
      let updated = change.kind == .update ? Self.updated(change.properties, known) : nil
      let tombstone = change.tombstone.map { values in
        Dictionary(
          values.compactMap { name, value in known[name]?.sole.map { ($0.name, value) } },
          uniquingKeysWith: { first, _ in first })
      }
      changes.append(
        PersistentHistoryChange(
          changeID: transaction.number << Self.indexBits | Int64(index), id: id, change: change,
          properties: updated, tombstone: tombstone,
          earlierValues: try change.previous.map { try earlierValues($0, known) }, owner: owner))
    }
    result.changes = changes
    return result
  }

  /// Returns the properties that names mean. Of a name with several meanings all are updated: who reads them again
  /// misses nothing.
  private static func updated(
    _ names: [String], _ known: [String: Meaning]
  ) -> Set<PropertyDescription> {
    var result = Set<PropertyDescription>(minimumCapacity: names.count)
    for name in names {
      guard let meaning = known[name] else { continue }
      result.insert(meaning.property)
      if !meaning.others.isEmpty { result.formUnion(meaning.others) }
    }
    return result
  }

  /// Returns the values of attributes, composites with all elements, and the destinations of to-one relationships.
  private func earlierValues(
    _ values: [StorePreviousValue], _ known: [String: Meaning]
  ) throws -> [String: Value] {
    var result: [String: Value] = [:]
    for value in values {
      let path = value.name.split(separator: ".").map(String.init)
      guard value.kind != .position, let head = path.first, let property = known[head]?.sole else {
        continue
      }
      guard value.kind == .reference else {
        let earlier = result[property.name] ?? .null
        result[property.name] = Self.setting(value.value, at: path.dropFirst(), of: earlier)
        continue
      }
      guard case .integer(let key) = value.value,
        let id = try store.formerDestinationID(forKey: key)
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
  ) -> [String: Meaning] {
    let code = RecordKey.entityCode(of: key)
    if let known = properties[code] { return known }
    let names = store.historyNames
    var result: [String: Meaning] = [:]
    for property in entity.properties {
      result[property.name] = Meaning(
        property: property, mayBeGone: names.hasRemoved(property.name, in: entity))
    }
    for property in entity.properties {
      let former = names.formerNames(
        of: property.name, in: entity, identifier: property.renamingIdentifier,
        isTaken: { entity.propertiesByName[$0] != nil })
      for name in former {
        if result[name]?.others.append(property) == nil {
          result[name] = Meaning(
            property: property, mayBeGone: names.hasRemoved(name, in: entity))
        }
      }
    }
    properties[code] = result
    return result
  }
}
