// SPDX-License-Identifier: Apache-2.0

import RoostSQL

/// Records or values that are lost when the second version of a store is abandoned: the old version has no place for
/// them.
struct AbandonedValues {
  /// Their name in a migration plan.
  let name: String
  private let table: String
  private let condition: String?

  /// Finds the tables and columns of such values.
  ///
  /// - Complexity: One round trip; no record is read.
  static func all(
    _ additions: SecondVersionAdditions, _ reading: StoreReading,
    _ connection: PostgreSQLConnection
  ) throws -> [AbandonedValues] {
    let namespace = connection.namespace
    let functions = try connection.run(
      PostgreSQLCommand(
        """
        SELECT c.relname, p.proname, p.prosrc FROM pg_catalog.pg_trigger t \
        JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid \
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid AND p.pronamespace = n.oid \
        WHERE n.nspname = $1 AND NOT t.tgisinternal AND t.tgenabled = 'O'
        """, [.text(namespace.schema)], isKept: false))
    var homes: [String: MirroredColumns] = [:]
    var keptTables: Set<String> = []
    for row in 0..<functions.count {
      guard let table = functions.text(row, 0), let name = functions.text(row, 1),
        let text = functions.text(row, 2)
      else { continue }
      if MirroredColumns.keepsLinks(name) { keptTables.insert(table) }
      homes[table, default: MirroredColumns()].note(name, text)
    }
    var found: [AbandonedValues] = []
    for table in additions.tables
    where reading.catalog.columnsByTable[table] != nil && !keptTables.contains(table) {
      found.append(AbandonedValues(name: table, table: namespace.table(table), condition: nil))
    }
    for (table, column) in additions.columns
    where reading.catalog.columnsByTable[table]?[column] != nil {
      var condition = "\(PostgreSQLNamespace.quoted(column)) IS NOT NULL"
      if let codes = homes[table]?.codesByColumn[column], !codes.isEmpty {
        let list = codes.sorted().map(String.init).joined(separator: ", ")
        condition += " AND (\"\(SQLTable.key)\" & 4095) NOT IN (\(list))"
      }
      found.append(
        AbandonedValues(
          name: "\(table).\(column)", table: namespace.table(table), condition: condition))
    }
    return found
  }

  private var records: String { table + (condition.map { " WHERE \($0)" } ?? "") }

  /// Returns their number.
  func count(_ connection: PostgreSQLConnection) throws -> Int {
    Int(
      try connection.run(.once("SELECT pg_catalog.count(*) FROM \(records)")).integer())
  }

  /// Returns whether there are any.
  func exist(_ connection: PostgreSQLConnection) throws -> Bool {
    try connection.run(.once("SELECT EXISTS (SELECT 1 FROM \(records))")).isTrue()
  }
}
