// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// The combined previous values of consecutive transactions: the state of every changed record and link before the
/// first of them.
///
/// For each slot the oldest previous value is used; slots that no transaction changed still hold their values. So a
/// record's past state is the result of overlaying these values on its row at any time up to the last of the
/// transactions.
package struct PastChanges {
  private let schema: StoreSchema
  private var slots: PreviousSlots
  private(set) var records: [Int64: Record] = [:]
  private var links: [ObjectIdentifier: Links] = [:]

  /// A record that the transactions changed.
  struct Record {
    /// Whether the record existed before.
    var wasThere: Bool
    /// Whether the previous values of all slots are known, because the record was deleted.
    var isWhole = false
    /// The previous values, in the known slots.
    var values: Row?
    /// The slots whose previous values are known.
    var known: Set<Int> = []
  }

  /// The changed links of a table, with their previous states.
  private struct Links {
    var bySource: [Int64: [Int64: LinkChange.Kind]] = [:]
    var byDestination: [Int64: [Int64: LinkChange.Kind]] = [:]

    mutating func add(_ source: Int64, _ destination: Int64, _ state: LinkChange.Kind) {
      guard bySource[source]?[destination] == nil else { return }
      bySource[source, default: [:]][destination] = state
      byDestination[destination, default: [:]][source] = state
    }
  }

  package init(_ schema: StoreSchema, _ names: HistoryNames) {
    self.schema = schema
    slots = PreviousSlots(schema, names)
  }

  /// Whether nothing was changed.
  var isEmpty: Bool { records.isEmpty && links.isEmpty }

  /// Whether no record that satisfies a condition was changed.
  func isUntouched(where isWanted: (Int64) -> Bool) -> Bool {
    records.isEmpty || !records.keys.contains(where: isWanted)
  }

  /// Adds the next transaction.
  ///
  /// - Throws: `persistentHistoryTokenExpired` when it has no previous values, values that the model can no longer
  ///   hold, or names with several meanings.
  package mutating func add(_ content: HistoryContent) throws {
    let (changes, states) = try content.decoded()
    // Insertions need no previous values: the record did not exist.
    guard content.hasPreviousValues || changes.allSatisfy({ $0.kind == .insert }) else {
      throw PersistenceError.pastIsUnknown(
        "A transaction of the store's history has no previous values: it was kept before the level of the history "
          + "was “values”.", store: schema.identity.identifier)
    }
    for change in changes { try add(change) }
    for link in states {
      // A relationship that was removed from the model is omitted from the past, too.
      guard let table = try slots.table(of: link) else {
        try refuseOther(link.relationship, of: schema.entity(ofCode: link.entityCode))
        continue
      }
      let identifier = ObjectIdentifier(table)
      links[identifier, default: Links()].add(link.source, link.destination, link.state)
      if table.isSymmetric {
        links[identifier]?.add(link.destination, link.source, link.state.mirrored)
      }
    }
  }

  private mutating func add(_ change: StoreRecordChange) throws {
    let key = change.key
    guard let known = records[key] else {
      records[key] = Record(wasThere: change.kind != .insert)
      if change.kind != .insert { try add(values: change) }
      return
    }
    if known.wasThere, !known.isWhole, change.kind != .insert { try add(values: change) }
  }

  private mutating func add(values change: StoreRecordChange) throws {
    let key = change.key
    guard let entity = schema.entity(ofKey: key), var record = records.removeValue(forKey: key)
    else { return }
    // Slots that did not exist then read as their defaults. The row is copied, because readers may hold the earlier
    // instance.
    let row = record.values?.copy() ?? entity.makeDefaultRow(key: key, version: 1)
    for value in change.previous ?? [] {
      guard let slot = try slots.slot(of: value, ofKey: key) else {
        if value.kind == .reference { try refuseOther(value.name, of: entity) }
        continue
      }
      guard record.known.insert(slot.index).inserted else { continue }
      guard PreviousSlots.set(value.value, at: slot, of: row) else {
        throw PersistenceError.pastIsUnknown(
          "The property “\(value.name)” had values of a type that it does not have any more.",
          store: schema.identity.identifier, entityName: entity.name, key: value.name)
      }
    }
    record.values = row
    record.isWhole = change.kind == .delete
    records[key] = record
  }

  /// Throws for values of a relationship that has since changed between to-one and to-many.
  private func refuseOther(_ relationship: String, of entity: EntityDescription?) throws {
    guard entity?.relationshipsByName[relationship] != nil else { return }
    throw PersistenceError.pastIsUnknown(
      "The relationship “\(relationship)” was kept in another way than it is now.",
      store: schema.identity.identifier, entityName: entity?.name, key: relationship)
  }

  // MARK: - Records

  /// Returns the keys of changed records that satisfy a condition and whose past row also needs the current row.
  func unfinishedKeys(where isWanted: (Int64) -> Bool) -> [Int64] {
    records.filter { $1.wasThere && !$1.isWhole && isWanted($0) }.map(\.key)
  }

  /// Returns the past row of a record; nil when it did not exist.
  ///
  /// - Parameters:
  ///   - key: The record.
  ///   - row: The record's row at any time up to the last of the transactions; nil when it was gone by then.
  package func image(ofKey key: Int64, over row: Row?) -> Row? {
    guard let record = records[key] else { return row }
    guard record.wasThere else { return nil }
    guard !record.isWhole else { return record.values }
    guard let row else { return nil }
    let image = row.copy()
    if let values = record.values {
      for index in record.known { image.copySlot(image.layout.slots[index], from: values) }
    }
    return image
  }

  /// Returns whether a reference of a record led to a destination before; nil when it is unchanged.
  func didLead(_ key: Int64, at slot: RowSlot, to destination: Int64) -> Bool? {
    guard let record = records[key] else { return nil }
    guard record.wasThere else { return false }
    guard let values = record.values, record.known.contains(slot.index) else { return nil }
    return values.reference(slot) == destination
  }

  /// Whether a changed record may have had another source than now: its reference or position was changed, or it was
  /// inserted or deleted.
  func mayHaveMoved(_ key: Int64, _ slot: RowSlot, _ position: RowSlot?) -> Bool {
    guard let record = records[key] else { return false }
    if !record.wasThere || record.isWhole || record.known.contains(slot.index) { return true }
    return position.map { record.known.contains($0.index) } ?? false
  }

  // MARK: - Links

  /// Returns the previous states of the changed links of a record, by the record at the other end; other links are
  /// unchanged.
  func links(of key: Int64, along relationship: RelationshipDescription) -> [Int64: LinkChange.Kind]
  {
    guard case .links(let table, let isForward) = relationship.storage,
      let known = links[ObjectIdentifier(table)]
    else { return [:] }
    return (isForward ? known.bySource : known.byDestination)[key] ?? [:]
  }
}

extension LinkChange.Kind {
  /// The link state seen from the other end.
  fileprivate var mirrored: LinkChange.Kind {
    guard case .link(let position, let inversePosition) = self else { return self }
    return .link(position: inversePosition, inversePosition: position)
  }

  /// Whether the link exists.
  package var isThere: Bool {
    if case .link = self { return true }
    return false
  }
}

extension PersistenceError {
  /// Returns the error for a past state that can no longer be read.
  static func pastIsUnknown(
    _ message: String, store: String, entityName: String? = nil, key: String? = nil
  ) -> PersistenceError {
    PersistenceError(
      .persistentHistoryTokenExpired, message, entityName: entityName, key: key, store: store)
  }
}

extension StoreSchema {
  fileprivate func entity(ofCode code: Int) -> EntityDescription? {
    entity(ofKey: RecordKey.make(sequence: 1, entityCode: code))
  }
}
