// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

// Statements for many records at once: their keys and values are array parameters.
extension SQLSchema {
  private var key: String { dialect.quoted(SQLTable.key) }
  private var version: String { dialect.quoted(SQLTable.version) }

  private func columns(_ entity: SQLEntity) -> [String] {
    entity.storedSlots.compactMap { entity.column($0).map { dialect.quoted($0.name) } }
  }

  /// The condition that a record's key is in an array, the first parameter.
  ///
  /// With a plain parameter the planner would look at each key of the array, which takes half as long as reading the
  /// records, and would rather scan a whole table than read ten thousand records of it. It does not know the result of
  /// a subquery, so it looks the keys up in the index, in their order.
  private var isListed: String { isListed(in: "$1") }

  private func isListed(in keys: String) -> String {
    "\(key) = ANY(CAST((SELECT \(keys)) AS bigint[]))"
  }

  /// Reads records: the key, the version, then the stored slots in order. Parameter: the keys.
  ///
  /// - Parameters:
  ///   - isLong: Whether there may be so many keys that a sequential scan is faster. Then the statement is planned for
  ///     the actual keys.
  ///   - keys: The expression of the keys, when it is not the parameter.
  func selectMany(_ entity: SQLEntity, isLong: Bool, keys: String = "$1") -> String {
    let names = [key, version] + columns(entity)
    return "SELECT \(names.joined(separator: ", ")) FROM \(entity.table.reference)"
      + " WHERE \(isLong ? "\(key) = ANY(\(keys))" : isListed(in: keys))"
  }

  /// Reads one record like ``selectMany(_:isLong:)``. Parameter: the key.
  func selectOne(_ entity: SQLEntity) -> String {
    let names = [key, version] + columns(entity)
    return "SELECT \(names.joined(separator: ", ")) FROM \(entity.table.reference)"
      + " WHERE \(key) = $1"
  }

  /// Locks records in the order of their keys and reads their keys and versions. Parameter: the keys.
  func lock(_ table: SQLTable) -> String {
    "SELECT \(key), \(version) FROM \(table.reference)"
      + " WHERE \(key) = ANY($1) ORDER BY \(key) FOR UPDATE"
  }

  /// Locks records in the order of their keys, and fails unless each is in the expected version. Parameters: the keys,
  /// the versions, their number.
  func lockAndCheck(_ table: SQLTable) -> String {
    "WITH locked AS (\(lock(table)))"
      + " SELECT 1 / CAST(count(*) = $3 AS integer) FROM locked"
      + " JOIN unnest($1, $2) AS expected (k, n)"
      + " ON expected.k = locked.\(key) AND expected.n = locked.\(version)"
  }

  /// Removes records. Parameter: the keys.
  func deleteByKeys(_ table: SQLTable) -> String {
    "DELETE FROM \(table.reference) WHERE \(isListed)"
  }

  /// Removes records that are in a version. Parameters: the keys, the version.
  func deleteInVersion(_ table: SQLTable) -> String {
    deleteByKeys(table) + " AND \(version) = $2"
  }

  /// Increments the versions of records. Parameter: the keys.
  func advance(_ table: SQLTable) -> String {
    "UPDATE \(table.reference) SET \(version) = \(version) + 1 WHERE \(isListed)"
  }

  /// Increments the versions of records that are in a version. Parameters: the keys, the version.
  func advanceInVersion(_ table: SQLTable) -> String {
    advance(table) + " AND \(version) = $2"
  }

  /// Returns a statement that changes or removes records, and fails unless it affects the expected number of records.
  /// The number is a parameter.
  private func counted(_ statement: String, expecting number: Int) -> String {
    "WITH done AS (\(statement) RETURNING 1)"
      + " SELECT 1 / CAST(count(*) = $\(number) AS integer) FROM done"
  }

  /// Removes records, and fails unless each exists in a version. Parameters: the keys, their number, the version.
  func deleteChecked(_ table: SQLTable) -> String {
    counted(deleteByKeys(table) + " AND \(version) = $3", expecting: 2)
  }

  /// Increments versions, and fails unless each record exists in a version. Parameters: the keys, their number, the
  /// version.
  func advanceChecked(_ table: SQLTable) -> String {
    counted(advance(table) + " AND \(version) = $3", expecting: 2)
  }

  /// Changes records, and fails unless each is in the expected version. Parameters: the keys, the new versions, the
  /// expected ones, an array for each slot, then the number of records.
  func updateManyChecked(_ entity: SQLEntity, slots: [RowSlot]) -> String {
    counted(updateManyInVersion(entity, slots: slots), expecting: slots.count + 4)
  }

  /// Changes records that are in the expected version. Parameters: the keys, the new versions, the expected ones, then
  /// an array for each slot.
  func updateManyInVersion(_ entity: SQLEntity, slots: [RowSlot]) -> String {
    updateMany(
      entity, slots: slots, lists: (1...(slots.count + 3)).map(dialect.parameter),
      names: ["k", "n", "b"]) + " AND t.\(version) = v.b"
  }

  /// Changes records. Parameters: the keys, the new versions, then an array for each slot.
  func updateMany(_ entity: SQLEntity, slots: [RowSlot]) -> String {
    updateMany(
      entity, slots: slots, lists: (1...(slots.count + 2)).map(dialect.parameter),
      names: ["k", "n"])
  }

  private func updateMany(
    _ entity: SQLEntity, slots: [RowSlot], lists: [String], names: [String]
  ) -> String {
    var assignments = ["\(version) = v.n"]
    for (index, slot) in slots.enumerated() {
      guard let column = entity.column(slot) else {
        preconditionFailure("A slot that is not stored is not written.")
      }
      assignments.append("\(dialect.quoted(column.name)) = v.c\(index)")
    }
    let names = (names + slots.indices.map { "c\($0)" }).joined(separator: ", ")
    return "UPDATE \(entity.table.reference) AS t"
      + " SET \(assignments.joined(separator: ", "))"
      + " FROM unnest(\(lists.joined(separator: ", "))) AS v (\(names)) WHERE t.\(key) = v.k"
  }

  /// Sets slots of records to NULL. Parameter: the keys.
  func clearMany(_ entity: SQLEntity, slots: [RowSlot]) -> String {
    let assignments = slots.compactMap(entity.column).map { "\(dialect.quoted($0.name)) = NULL" }
    return "UPDATE \(entity.table.reference) SET \(assignments.joined(separator: ", "))"
      + " WHERE \(key) = ANY($1)"
  }

  /// Changes a record unless another one has the values of a constraint. Parameters: the key, the new version, the
  /// slots, then the slots of each constraint.
  func updateGuarded(
    _ entity: SQLEntity, slots: [RowSlot], constraints: [SQLConstraint]
  ) -> String {
    var assignments = ["\(version) = $2"]
    for (index, column) in slots.compactMap(entity.column).enumerated() {
      assignments.append("\(dialect.quoted(column.name)) = $\(index + 3)")
    }
    var text =
      "UPDATE \(entity.table.reference) AS t"
      + " SET \(assignments.joined(separator: ", ")) WHERE t.\(key) = $1"
    var number = slots.count + 3
    for constraint in constraints {
      var conditions: [String] = []
      for column in constraint.index.columns {
        conditions.append("\(dialect.quoted(column)) = $\(number)")
        number += 1
      }
      conditions.append("\(key) <> $1")
      if let condition = constraint.index.condition { conditions.append(condition) }
      text +=
        " AND NOT EXISTS (SELECT 1 FROM \(entity.table.reference) AS h"
        + " WHERE \(conditions.joined(separator: " AND ")))"
    }
    return text
  }

  /// Returns the table of an entity's records and the columns of a new record, as COPY names them.
  func copyTarget(_ entity: SQLEntity) -> String {
    let names = [key, version] + columns(entity)
    return "\(entity.table.reference) (\(names.joined(separator: ", ")))"
  }

  // MARK: - Links

  /// Inserts links, or gives them new positions. Parameters: arrays of sources, destinations, positions and inverse
  /// positions; a null position keeps the stored one.
  func insertLinks(_ table: SQLLinkTable) -> String {
    let names = [
      SQLLinkTable.source, SQLLinkTable.destination, SQLLinkTable.position,
      SQLLinkTable.inversePosition,
    ].map(dialect.quoted)
    let assignments = names[2...].map { name in
      "\(name) = coalesce(excluded.\(name), \(dialect.quoted(table.name)).\(name))"
    }
    return "INSERT INTO \(table.reference) (\(names.joined(separator: ", ")))"
      + " SELECT * FROM unnest($1, $2, $3, $4) ON CONFLICT (\(names[0]), \(names[1]))"
      + " DO UPDATE SET \(assignments.joined(separator: ", "))"
  }

  /// Removes links. Parameters: arrays of sources and destinations.
  func deleteLinks(_ table: SQLLinkTable) -> String {
    let source = dialect.quoted(SQLLinkTable.source)
    let destination = dialect.quoted(SQLLinkTable.destination)
    return "DELETE FROM \(table.reference) AS t USING unnest($1, $2) AS v (s, d)"
      + " WHERE t.\(source) = v.s AND t.\(destination) = v.d"
  }

  /// Removes all links of records that are deleted. Parameter: the records.
  func deleteLinksOfMany(_ table: SQLLinkTable, ofSource: Bool) -> String {
    let column = ofSource ? SQLLinkTable.source : SQLLinkTable.destination
    return "DELETE FROM \(table.reference) WHERE \(dialect.quoted(column)) = ANY($1)"
  }

  /// Reads the destinations of many sources of a to-many relationship. Parameter: the sources. nil when the store does
  /// not hold the destinations.
  ///
  /// For an ordered relationship, the rows are the source, the key and the position, by source, then in order. For an
  /// unordered one, they are the source and an array of all keys, in no order; a row for each source costs less time
  /// and network traffic than one for each destination.
  func selectDestinationsOfMany(_ relationship: RelationshipDescription) -> String? {
    guard let place = destinations(of: relationship) else { return nil }
    let source = dialect.quoted(place.source)
    let key = dialect.quoted(place.key)
    let rest = " FROM \(place.table) WHERE \(source) = ANY($1)"
    guard let position = place.position.map(dialect.quoted) else {
      return "SELECT \(source), pg_catalog.array_agg(\(key))\(rest) GROUP BY \(source)"
    }
    return "SELECT \(source), \(key), \(position)\(rest)"
      + " ORDER BY \(source), \(position)\(dialect.nullsFirst), \(key)"
  }
}
