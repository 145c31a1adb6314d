// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery
import RoostStore

/// Reads all data of a store, and records inconsistencies.
struct StoreCheck {
  private let session: StoreSession
  /// A snapshot, if the store supports one, so that concurrent writes do not look like damage.
  private let store: any PersistentStore
  private let isSnapshot: Bool
  /// The findings, one sentence each.
  private(set) var findings: [String] = []
  private(set) var recordCount = 0
  private(set) var linkCount = 0
  private var omitted = 0
  /// The keys of all records.
  private var keys: [ObjectIdentifier: Set<Int64>] = [:]
  private static let batchSize = 1000
  /// The most findings that are kept.
  private static let findingLimit = 200

  init(_ session: StoreSession) throws {
    self.session = session
    let snapshot = try session.store.snapshots?.takeSnapshot()
    store = snapshot ?? session.store
    isSnapshot = snapshot != nil
  }

  /// Checks all data.
  ///
  /// - Parameter progress: Gets the name of the current entity.
  /// - Throws: The errors of the store, except damage, which is a finding.
  mutating func run(_ progress: (String) -> Void) throws {
    let mark = isSnapshot ? nil : try session.store.changeMarks?.changeMark()
    defer { if isSnapshot { store.close() } }
    for entity in session.concreteEntities { try readKeys(of: entity) }
    for entity in session.concreteEntities {
      progress(entity.name ?? "")
      try reportingDamage(in: entity) { try $0.readRecords(of: entity) }
      try reportingDamage(in: entity) { try $0.readLinks(of: entity) }
    }
    if omitted > 0 { findings.append("and \(Quantity.of(omitted, "finding")) more") }
    if !findings.isEmpty, let mark, try session.store.changeMarks?.changeMark() != mark {
      findings.append(
        "Other processes wrote the store while it was read, which may be the reason: check again.")
    }
  }

  private mutating func note(_ finding: String) {
    if findings.count < Self.findingLimit { findings.append(finding) } else { omitted += 1 }
  }

  private mutating func reportingDamage(
    in entity: EntityDescription, _ body: (inout StoreCheck) throws -> Void
  ) throws {
    do {
      try body(&self)
    } catch let error as PersistenceError where error.code == .corruptStore {
      note("\(entity.name ?? ""): \(error.message)")
    }
  }

  private func label(_ key: Int64) -> String {
    session.attached.objectID(forKey: key).map(ValueOutput.text) ?? "the record with the key \(key)"
  }

  // MARK: Records

  private mutating func readKeys(of entity: EntityDescription) throws {
    let result = try store.fetch(
      ResolvedFetch(entity: entity, entities: [entity], result: .keys))
    // Without a condition, an order and a window nothing is left to be done with rows.
    let found: [Int64] =
      switch result.content {
      case .keys(let keys): keys
      case .rows(let rows): rows.map(\.key)
      case .count, .tuples: []
      }
    keys[ObjectIdentifier(entity)] = Set(found)
  }

  private func has(_ key: Int64, in entity: EntityDescription) -> Bool {
    entity.concreteEntities.contains { keys[ObjectIdentifier($0)]?.contains(key) ?? false }
  }

  private mutating func readRecords(of entity: EntityDescription) throws {
    var constraints = entity.allUniquenessConstraints.map { UniqueValues($0, entity) }
    var rest = keys[ObjectIdentifier(entity), default: []].sorted()[...]
    while !rest.isEmpty {
      let batch = Array(rest.prefix(Self.batchSize))
      rest = rest.dropFirst(batch.count)
      let rows = try store.rows(forKeys: batch)
      let missing = Set(batch).subtracting(rows.map(\.key))
      for key in missing.sorted() { note("\(label(key)) is listed and cannot be read.") }
      for row in rows {
        recordCount += 1
        try judge(row, of: entity)
        for index in constraints.indices {
          guard let other = constraints[index].note(row) else { continue }
          note(
            "\(label(other)) and \(label(row.key)) have the same "
              + "\(constraints[index].names.joined(separator: ", ")), which are unique.")
        }
      }
    }
  }

  private mutating func judge(_ row: Row, of entity: EntityDescription) throws {
    for (slot, content) in zip(row.layout.slots, row.layout.contents) where content.isStored {
      switch content {
      case .attribute(let attribute, let name):
        if row.isNull(slot) {
          guard !attribute.isOptional, !(attribute is DerivedAttributeDescription),
            !name.contains(".")
          else { continue }
          note("\(label(row.key)) has no \(name), which must have a value.")
        } else {
          // To make the value of the bytes is the test.
          _ = row.value(at: slot)
        }
      case .reference(let relationship):
        guard let key = row.reference(slot) else {
          if !relationship.isOptional {
            note("\(label(row.key)) has no \(relationship.name), which must have a value.")
          }
          continue
        }
        guard try !isForeign(key, of: relationship),
          let destination = relationship.destinationEntity,
          !has(key, in: destination)
        else { continue }
        note("\(label(row.key)).\(relationship.name) leads to \(label(key)), which does not exist.")
      case .position: continue
      }
    }
  }

  /// Whether a key refers to a record of another store through a listed reference. The record itself is not checked.
  private func isForeign(_ key: Int64, of relationship: RelationshipDescription) throws -> Bool {
    guard ForeignNumber.isForeign(key) else { return false }
    do {
      return try session.attached.destinationID(forKey: key) != nil
    } catch let error as PersistenceError
      where error.code == .corruptStore || error.code == .objectReferentialIntegrity
    {
      // The store does not list it.
      return false
    }
  }

  // MARK: Links

  private mutating func readLinks(of entity: EntityDescription) throws {
    for relationship in entity.relationshipsInOrder {
      guard case .links = relationship.storage, let destination = relationship.destinationEntity
      else { continue }
      var rest = keys[ObjectIdentifier(entity), default: []].sorted()[...]
      while !rest.isEmpty {
        let batch = Array(rest.prefix(Self.batchSize))
        rest = rest.dropFirst(batch.count)
        let found = try store.destinations(of: relationship, forSources: batch)
        for (index, source) in batch.enumerated() {
          for key in found[source: index] {
            linkCount += 1
            guard try !isForeign(key, of: relationship), !has(key, in: destination) else {
              continue
            }
            note(
              "\(label(source)).\(relationship.name) leads to \(label(key)), which does not exist.")
          }
        }
      }
    }
  }
}

/// The values of a uniqueness constraint, with the record that has them.
private struct UniqueValues {
  let names: [String]
  private let slots: [RowSlot]
  private var owners: [[Value]: Int64] = [:]

  init(_ names: [String], _ entity: EntityDescription) {
    self.names = names
    slots = names.compactMap { entity.layout.slot(named: $0) }
  }

  /// Takes the values of a record.
  ///
  /// - Returns: Another record that has the same. Values that are nil are not compared.
  mutating func note(_ row: Row) -> Int64? {
    guard slots.count == names.count, !slots.contains(where: row.isNull) else { return nil }
    let values = slots.map { slot in
      // A cell of another kind is no key: those of long texts are alike.
      slot.kind == .reference
        ? row.reference(slot).map { Value.integer($0) } ?? .null : row.value(at: slot)
    }
    guard let owner = owners[values] else {
      owners[values] = row.key
      return nil
    }
    return owner
  }
}
