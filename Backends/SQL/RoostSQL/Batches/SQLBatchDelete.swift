// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
package import RoostStore

/// A batch deletion as statements. They collect the keys of the records first, step by step along the delete rules,
/// and then remove the links, the records, and the references to them.
package struct SQLBatchDelete {
  private let schema: SQLSchema
  private let derivations: DerivationPlan
  private let session: any SQLBatchSession
  /// The codes of the entities of which records are removed.
  private var codes: Set<Int> = []
  /// The slots that may refer to a removed record, by their table.
  private var references: [ObjectIdentifier: (table: SQLTable, slots: [Reference])] = [:]
  /// The number of records that the deletion has removed and changed, and their lists where they are wanted.
  package private(set) var records = BatchRecords()

  /// A slot that may refer to a removed record, with its position slot.
  private struct Reference {
    let slot: RowSlot
    let column: String
    let position: String?
    /// The codes of the entities whose removal clears it.
    var codes: Set<Int>
  }

  package init(
    _ schema: SQLSchema, _ derivations: DerivationPlan, _ session: any SQLBatchSession
  ) {
    self.schema = schema
    self.derivations = derivations
    self.session = session
  }

  private var dialect: SQLDialect { schema.dialect }
  private var key: String { dialect.quoted(SQLTable.key) }

  // MARK: - Collecting keys

  /// Collects the keys of the records to remove, and of those that the delete rules remove with them.
  ///
  /// - Returns: The number of records.
  /// - Throws: `BatchImpossible`.
  package mutating func collect(_ target: StoreBatchDelete.Target) throws -> Int {
    var count = try session.collect(firstStep(target), step: 0)
    var step = 0
    var found = count
    while found > 0 {
      found = 0
      let codes = try session.codes(ofStep: step)
      self.codes.formUnion(codes)
      for (relationship, codes) in try relationships(ofCodes: codes) {
        switch relationship.deleteRule {
        case .noAction: break
        case .nullify, .deny: try noteReference(through: relationship, from: codes)
        case .cascade:
          let set = SQLKeySet(step: step, codes: codes)
          guard let statement = destinations(of: relationship, from: set) else { continue }
          found += try session.collect(statement, step: step + 1)
        }
      }
      count += found
      step += 1
    }
    return count
  }

  private func firstStep(_ target: StoreBatchDelete.Target) throws -> SQLSetStatement {
    switch target {
    case .matching(var fetch):
      guard !fetch.entities.isEmpty else { throw BatchImpossible() }
      fetch.result = .keys
      let query = try FetchGenerator.query(for: fetch, in: schema)
      guard query.remainder == nil, case .keys = query.shape else { throw BatchImpossible() }
      return SQLSetStatement(query.text + session.locking("t0"), query.bindings)
    case .keys(let keys):
      guard let first = keys.first, let entity = schema.store.entity(ofKey: first),
        let place = schema.entity(entity)
      else { throw BatchImpossible() }
      var list: [SQLValue] = []
      list.reserveCapacity(keys.count)
      for key in keys { list.append(.integer(key)) }
      let members =
        switch dialect.list {
        case .jsonArray: "IN (SELECT value FROM json_each(\(dialect.parameter(1))))"
        case .array: "= ANY(\(dialect.parameter(1)))"
        }
      let text =
        "SELECT \(key) FROM \(place.table.reference) AS t0 WHERE \(key) \(members) ORDER BY \(key)"
      return SQLSetStatement(text + session.locking("t0"), [.list(SQLList(list))])
    }
  }

  /// Returns the relationships of entities, each with the codes of the entities that have it.
  private func relationships(
    ofCodes codes: [Int]
  ) throws -> [(relationship: RelationshipDescription, codes: [Int])] {
    var places: [ObjectIdentifier: Int] = [:]
    var result: [(relationship: RelationshipDescription, codes: [Int])] = []
    for code in codes {
      guard let entity = schema.store.entity(ofKey: RecordKey.make(sequence: 1, entityCode: code))
      else {
        throw PersistenceError(.corruptStore, "A key of the store names no entity of the model.")
      }
      try checkDerivations(entity)
      for relationship in entity.relationshipsInOrder {
        let id = ObjectIdentifier(relationship)
        if let place = places[id] {
          result[place].codes.append(code)
        } else {
          places[id] = result.count
          result.append((relationship, [code]))
        }
      }
    }
    return result
  }

  /// Returns a statement that reads the keys of the existing destinations of the sources in a set; nil when the store
  /// holds none.
  private func destinations(
    of relationship: RelationshipDescription, from set: SQLKeySet
  ) -> SQLSetStatement? {
    guard let destination = relationship.destinationEntity.flatMap(schema.entity) else {
      return nil
    }
    var statement = SQLSetStatement()
    let records = destination.table.reference
    switch relationship.storage {
    case .toOne(let slot):
      guard let owner = relationship.entity.flatMap(schema.entity),
        let column = owner.column(slot)
      else { return nil }
      let members = statement.membership(in: set, dialect)
      statement.text =
        "SELECT d.\(key) FROM \(owner.table.reference) AS s JOIN \(records) AS d "
        + "ON d.\(key) = s.\(dialect.quoted(column.name)) WHERE s.\(key) \(members)"
    case .inverseOfToOne:
      guard let place = schema.destinations(of: relationship) else { return nil }
      let members = statement.membership(in: set, dialect)
      statement.text =
        "SELECT d.\(key) FROM \(records) AS d WHERE d.\(dialect.quoted(place.source)) \(members)"
    case .links:
      guard let place = schema.destinations(of: relationship) else { return nil }
      let members = statement.membership(in: set, dialect)
      statement.text =
        "SELECT d.\(key) FROM \(place.table) AS l JOIN \(records) AS d "
        + "ON d.\(key) = l.\(dialect.quoted(place.key)) "
        + "WHERE l.\(dialect.quoted(place.source)) \(members)"
    case .transient: return nil
    }
    statement.text += session.locking("d")
    return statement
  }

  private mutating func noteReference(
    through relationship: RelationshipDescription, from codes: [Int]
  ) throws {
    let slot: RowSlot
    var position: RowSlot?
    switch relationship.storage {
    case .inverseOfToOne(let inverse, let place): (slot, position) = (inverse, place)
    case .toOne:
      guard let inverse = relationship.maintainedInverse, case .toOne(let inverse) = inverse.storage
      else { return }
      slot = inverse
    case .links, .transient: return
    }
    guard let destination = relationship.destinationEntity.flatMap(schema.entity),
      let column = destination.column(slot)
    else { return }
    try checkDerivations(destination.entity)
    let id = ObjectIdentifier(destination.table)
    var known = references[id] ?? (destination.table, [])
    if let place = known.slots.firstIndex(where: { $0.column == column.name }) {
      known.slots[place].codes.formUnion(codes)
    } else {
      known.slots.append(
        Reference(
          slot: slot, column: column.name, position: position.flatMap(destination.column)?.name,
          codes: Set(codes)))
    }
    references[id] = known
  }

  private func checkDerivations(_ entity: EntityDescription) throws {
    guard !derivations.concerns(entity) else { throw BatchImpossible() }
  }

  // MARK: - Removing

  /// Removes the collected records, and clears the references to them.
  ///
  /// - Parameter listing: Whether the records are to be listed.
  package mutating func remove(listing: Bool) throws {
    let all = codes.sorted()
    for table in schema.linkTables { try removeLinks(table, all) }
    for table in schema.tables {
      let own = all.filter(table.codes.contains)
      guard !own.isEmpty else { continue }
      var statement = SQLSetStatement()
      let members = statement.membership(in: SQLKeySet(codes: own), dialect)
      statement.text = "DELETE FROM \(table.reference) WHERE \(key) \(members)"
      try session.run(statement)
    }
    for (table, slots) in references.values.sorted(by: { $0.table.name < $1.table.name }) {
      try clear(slots, in: table, listing: listing)
    }
    if listing { records.deleted = try session.keys() }
  }

  private func removeLinks(_ table: SQLLinkTable, _ codes: [Int]) throws {
    let relationship = table.links.relationship
    let ends = [
      (relationship.entity, SQLLinkTable.source),
      (relationship.destinationEntity, SQLLinkTable.destination),
    ]
    for (entity, column) in ends {
      guard let entity else { continue }
      let own = codes.filter { code in
        schema.store.entity(ofKey: RecordKey.make(sequence: 1, entityCode: code))?
          .isKindOf(entity: entity) ?? false
      }
      guard !own.isEmpty else { continue }
      var statement = SQLSetStatement()
      let members = statement.membership(in: SQLKeySet(codes: own), dialect)
      statement.text =
        "DELETE FROM \(table.reference) WHERE \(dialect.quoted(column)) \(members)"
      try session.run(statement)
    }
  }

  /// Clears the slots of one table that refer to removed records. A record with several such slots is changed once.
  private mutating func clear(
    _ slots: [Reference], in table: SQLTable, listing: Bool
  ) throws {
    // A flag is a bit of a word.
    guard slots.count <= 64 else { throw BatchImpossible() }
    var listed = 0
    if listing {
      var statement = SQLSetStatement()
      let conditions = conditions(slots, &statement)
      statement.text =
        "SELECT \(key), "
        + conditions.map { "coalesce(\($0), \(dialect.truth(false)))" }
        .joined(separator: ", ")
        + " FROM \(table.reference) AS t0 WHERE \(conditions.joined(separator: " OR ")) "
        + "ORDER BY \(key)" + session.locking("t0")
      try session.forEachRow(of: statement, flags: slots.count) { key, flags in
        let changed = zip(slots, flags).filter(\.1).map(\.0.slot.index).sorted()
        records.add(key, slots: changed, code: RecordKey.entityCode(of: key))
        listed += 1
      }
    }
    var statement = SQLSetStatement()
    let conditions = conditions(slots, &statement)
    let version = dialect.quoted(SQLTable.version)
    var assignments = ["\(version) = \(version) + 1"]
    for (slot, condition) in zip(slots, conditions) {
      for column in [slot.column, slot.position].compactMap({ $0.map(dialect.quoted) }) {
        let value =
          slots.count == 1 ? "NULL" : "CASE WHEN \(condition) THEN NULL ELSE \(column) END"
        assignments.append("\(column) = \(value)")
      }
    }
    statement.text =
      "UPDATE \(table.reference) SET \(assignments.joined(separator: ", ")) "
      + "WHERE \(conditions.joined(separator: " OR "))"
    let count = try session.run(statement)
    // A concurrent save has added a reference since the records were listed.
    guard !listing || count == listed else { throw BatchImpossible() }
  }

  private func conditions(_ slots: [Reference], _ statement: inout SQLSetStatement) -> [String] {
    slots.map { slot in
      let members = statement.membership(in: SQLKeySet(codes: slot.codes.sorted()), dialect)
      return "\(dialect.quoted(slot.column)) \(members)"
    }
  }
}
