// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// Statements that read and write records by key. Their parameters are in the order of the text.
extension SQLSchema {
  /// Reads one record: the version, then the stored slots in order. Parameter: the key.
  package func selectByKey(_ entity: SQLEntity) -> String {
    let columns = [dialect.quoted(SQLTable.version)] + storedColumns(entity)
    return "SELECT \(columns.joined(separator: ", ")) FROM \(entity.table.reference)"
      + " WHERE \(dialect.quoted(SQLTable.key)) = \(dialect.parameter(1))"
  }

  /// Reads the records of a table in a range of keys, in key order: the version, then the stored slots of an entity in
  /// order, then the key. Parameters: the first and the last key.
  package func selectByKeys(_ entity: SQLEntity) -> String {
    let key = dialect.quoted(SQLTable.key)
    let columns = [dialect.quoted(SQLTable.version)] + storedColumns(entity) + [key]
    return "SELECT \(columns.joined(separator: ", ")) FROM \(entity.table.reference)"
      + " WHERE \(key) BETWEEN \(dialect.parameter(1)) AND \(dialect.parameter(2)) ORDER BY \(key)"
  }

  /// Reads the records of a table whose keys are in a set, in key order: the version, then the stored slots of an
  /// entity in order, then the key.
  ///
  /// - Parameter members: The SQL that follows the key to test the membership.
  package func selectByKeys(_ entity: SQLEntity, members: String) -> String {
    let key = dialect.quoted(SQLTable.key)
    let columns = [dialect.quoted(SQLTable.version)] + storedColumns(entity) + [key]
    return "SELECT \(columns.joined(separator: ", ")) FROM \(entity.table.reference)"
      + " WHERE \(key) \(members) ORDER BY \(key)"
  }

  /// Inserts records. Parameters of each: the key, the version, then the stored slots in order.
  ///
  /// - Parameters:
  ///   - count: The number of records.
  ///   - verb: The beginning of the statement, where the dialect has alternatives.
  package func insert(
    _ entity: SQLEntity, count: Int = 1, verb: String = "INSERT"
  ) -> String {
    let columns =
      [dialect.quoted(SQLTable.key), dialect.quoted(SQLTable.version)] + storedColumns(entity)
    let records = (0..<count).map { record in
      let first = record * columns.count + 1
      let parameters = (first..<first + columns.count).map(dialect.parameter)
      return "(\(parameters.joined(separator: ", ")))"
    }
    return "\(verb) INTO \(entity.table.reference) (\(columns.joined(separator: ", ")))"
      + " VALUES \(records.joined(separator: ", "))"
  }

  /// Updates a record if it is still in a version. Parameters: the key, that version, the new version, then the slots
  /// in order.
  package func update(_ entity: SQLEntity, slots: [RowSlot]) -> String {
    var assignments = ["\(dialect.quoted(SQLTable.version)) = \(dialect.parameter(3))"]
    for (index, slot) in slots.enumerated() {
      guard let column = entity.column(slot) else {
        preconditionFailure("A slot that is not stored is not written.")
      }
      assignments.append("\(dialect.quoted(column.name)) = \(dialect.parameter(4 + index))")
    }
    return "UPDATE \(entity.table.reference) SET \(assignments.joined(separator: ", "))"
      + ofVersion
  }

  /// Sets slots of a record to NULL if it is still in a version. Parameters: the key, the version.
  package func clear(_ entity: SQLEntity, slots: [RowSlot]) -> String {
    let assignments = slots.compactMap(entity.column).map { "\(dialect.quoted($0.name)) = NULL" }
    return "UPDATE \(entity.table.reference) SET \(assignments.joined(separator: ", "))"
      + ofVersion
  }

  /// Deletes a record if it is still in a version. Parameters: the key, the version.
  package func delete(_ table: SQLTable) -> String {
    "DELETE FROM \(table.reference)" + ofVersion
  }

  /// Deletes the records of a key range that are still in a version. Parameters: the first and the last key, the
  /// version.
  package func deleteRange(_ table: SQLTable) -> String {
    let (key, version) = (dialect.quoted(SQLTable.key), dialect.quoted(SQLTable.version))
    return "DELETE FROM \(table.reference)"
      + " WHERE \(key) BETWEEN \(dialect.parameter(1)) AND \(dialect.parameter(2))"
      + " AND \(version) = \(dialect.parameter(3))"
  }

  /// Finds another record with given values in the columns of a constraint. Parameters: the key of the record to
  /// exclude, then the values.
  package func selectHolder(_ constraint: SQLConstraint, in table: SQLTable) -> String {
    let key = dialect.quoted(SQLTable.key)
    var conditions = constraint.index.columns.enumerated().map { index, column in
      "\(dialect.quoted(column)) = \(dialect.parameter(2 + index))"
    }
    conditions.append("\(key) <> \(dialect.parameter(1))")
    if let condition = constraint.index.condition { conditions.append(condition) }
    return "SELECT \(key) FROM \(table.reference)"
      + " WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(key)"
  }

  private var ofVersion: String {
    " WHERE \(dialect.quoted(SQLTable.key)) = \(dialect.parameter(1))"
      + " AND \(dialect.quoted(SQLTable.version)) = \(dialect.parameter(2))"
  }

  private func storedColumns(_ entity: SQLEntity) -> [String] {
    entity.storedSlots.compactMap { entity.column($0).map { dialect.quoted($0.name) } }
  }
}
