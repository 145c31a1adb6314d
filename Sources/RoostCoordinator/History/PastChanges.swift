// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// What some transactions that follow each other have found: the state of every record and link that they touched as it
/// was before the first of them.
///
/// The oldest value of a slot is the one that counts, and slots that none of the transactions changed hold what they
/// held. So the record is as it was when these values are laid over the record as it is at any time up to the last of
/// the transactions.
package struct PastChanges {
  private let schema: StoreSchema
  private var slots: PreviousSlots
  private(set) var records: [Int64: Record] = [:]
  private var links: [ObjectIdentifier: Links] = [:]

  /// A record that was touched.
  struct Record {
    /// Whether it was there before.
    var wasThere: Bool
    /// Whether all of its slots are known, because it was deleted.
    var isWhole = false
    /// The values from before, in the slots that are known.
    var values: Row?
    /// The slots that are known.
    var known: Set<Int> = []
  }

  /// The links of a table that were touched, with what they were.
  private struct Links {
    var bySource: [Int64: [Int64: LinkChange.Kind]] = [:]
    var byDestination: [Int64: [Int64: LinkChange.Kind]] = [:]

    mutating func add(_ source: Int64, _ destination: Int64, _ state: LinkChange.Kind) {
      guard bySource[source]?[destination] == nil else { return }
      bySource[source, default: [:]][destination] = state
      byDestination[destination, default: [:]][source] = state
    }
  }

  package init(_ schema: StoreSchema) {
    self.schema = schema
    slots = PreviousSlots(schema)
  }

  /// Whether nothing was touched.
  var isEmpty: Bool { records.isEmpty && links.isEmpty }

  /// Whether no record of some was touched.
  func isUntouched(where isWanted: (Int64) -> Bool) -> Bool {
    records.isEmpty || !records.keys.contains(where: isWanted)
  }

  /// Adds the transaction that follows.
  ///
  /// - Throws: `persistentHistoryTokenExpired` when it has no values, or such as the model cannot hold any more.
  package mutating func add(_ content: HistoryContent) throws {
    let (changes, states) = try content.decoded()
    // Insertions need no values: before them there was nothing.
    guard content.hasPreviousValues || changes.allSatisfy({ $0.kind == .insert }) else {
      throw PersistenceError.pastIsUnknown(
        "A transaction of the store's history has no previous values: it was kept before the level of the history "
          + "was “values”.", store: schema.identity.identifier)
    }
    for change in changes { try add(change) }
    for link in states {
      // A relationship that was removed from the model is gone for the past, too.
      guard let table = slots.table(of: link) else {
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
    // Slots that did not exist then read as their defaults. Readers may have the row that was there before.
    let row = record.values?.copy() ?? entity.makeDefaultRow(key: key, version: 1)
    for value in change.previous ?? [] {
      guard let slot = slots.slot(of: value, ofKey: key) else {
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

  /// Refuses values of a relationship that leads to one where it led to many, or the other way.
  private func refuseOther(_ relationship: String, of entity: EntityDescription?) throws {
    guard entity?.relationshipsByName[relationship] != nil else { return }
    throw PersistenceError.pastIsUnknown(
      "The relationship “\(relationship)” was kept in another way than it is now.",
      store: schema.identity.identifier, entityName: entity?.name, key: relationship)
  }

  // MARK: - Records

  /// The keys of the touched records of some entities of which a whole row is only known together with the row of now.
  func unfinishedKeys(where isWanted: (Int64) -> Bool) -> [Int64] {
    records.filter { $1.wasThere && !$1.isWhole && isWanted($0) }.map(\.key)
  }

  /// The record as it was; nil when it was not there.
  ///
  /// - Parameters:
  ///   - key: The record, which was touched.
  ///   - row: The record at any time up to the last of the transactions; nil when it was gone by then.
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

  /// Whether a reference of a record led to another one before; nil when it leads where it led.
  func didLead(_ key: Int64, at slot: RowSlot, to destination: Int64) -> Bool? {
    guard let record = records[key] else { return nil }
    guard record.wasThere else { return false }
    guard let values = record.values, record.known.contains(slot.index) else { return nil }
    return values.reference(slot) == destination
  }

  /// Whether a touched record may have been among other destinations than now: its reference or place was another one,
  /// or it came or went.
  func mayHaveMoved(_ key: Int64, _ slot: RowSlot, _ position: RowSlot?) -> Bool {
    guard let record = records[key] else { return false }
    if !record.wasThere || record.isWhole || record.known.contains(slot.index) { return true }
    return position.map { record.known.contains($0.index) } ?? false
  }

  // MARK: - Links

  /// What links of a record were that were touched, by the record at their other end; a link of which nothing is said
  /// is as it is.
  func links(of key: Int64, along relationship: RelationshipDescription) -> [Int64: LinkChange.Kind]
  {
    guard case .links(let table, let isForward) = relationship.storage,
      let known = links[ObjectIdentifier(table)]
    else { return [:] }
    return (isForward ? known.bySource : known.byDestination)[key] ?? [:]
  }
}

extension LinkChange.Kind {
  /// The same seen from the other end.
  fileprivate var mirrored: LinkChange.Kind {
    guard case .link(let position, let inversePosition) = self else { return self }
    return .link(position: inversePosition, inversePosition: position)
  }

  /// Whether the link is there.
  package var isThere: Bool {
    if case .link = self { return true }
    return false
  }
}

extension PersistenceError {
  /// The error of a moment that cannot be read any more.
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
