// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension SQLSchema {
  /// Returns the statement that creates a table.
  package func definition(_ table: SQLTable) -> String {
    var text =
      "CREATE TABLE \(table.reference) (\(dialect.quoted(SQLTable.key)) "
      + "\(dialect.keyType), \(dialect.quoted(SQLTable.version)) "
      + "\(dialect.columnType(.integer)) NOT NULL"
    // Generated whenever a store is opened, to compare it with the store's tables.
    text.reserveCapacity(64 + 32 * table.columns.count)
    for column in table.columns {
      text += ", "
      append(column, to: &text)
    }
    text += ")"
    text += dialect.tableOptions
    return text
  }

  /// Returns the statement that adds a column to an existing table.
  package func definition(adding column: SQLColumn, to table: SQLTable) -> String {
    "ALTER TABLE \(table.reference) ADD COLUMN \(columnDefinition(column))"
  }

  /// Returns the statement that creates an index.
  ///
  /// - Parameter isQualified: Whether the table name has its namespace, as it must when the statement runs. Without
  ///   it, the statement is the recorded definition of an index: the same in every namespace.
  package func definition(
    _ index: SQLIndex, on table: SQLTable, isQualified: Bool = true
  ) -> String {
    let place = isQualified ? table.reference : dialect.quoted(table.name)
    let kind = index.isUnique ? "UNIQUE INDEX" : "INDEX"
    let terms = index.terms.joined(separator: ", ")
    let end = index.condition.map { " WHERE " + $0 } ?? ""
    return
      "CREATE \(kind) \(dialect.quoted(index.name)) ON \(place) (\(terms))" + end
  }

  /// Returns the statement that creates a link table.
  package func definition(_ table: SQLLinkTable) -> String {
    let key = dialect.columnType(.reference)
    let position = dialect.columnType(.position)
    let source = dialect.quoted(SQLLinkTable.source)
    let destination = dialect.quoted(SQLLinkTable.destination)
    let columns = [
      "\(source) \(key) NOT NULL",
      "\(destination) \(key) NOT NULL",
      "\(dialect.quoted(SQLLinkTable.position)) \(position)",
      "\(dialect.quoted(SQLLinkTable.inversePosition)) \(position)",
      "PRIMARY KEY (\(source), \(destination))",
    ]
    return "CREATE TABLE \(table.reference) (\(columns.joined(separator: ", ")))"
      + dialect.linkTableOptions
  }

  /// Returns the statement that creates the index from destinations to sources.
  ///
  /// - Parameter isQualified: Whether the table name has its namespace, as in ``definition(_:on:isQualified:)``.
  package func reverseDefinition(_ table: SQLLinkTable, isQualified: Bool = true) -> String {
    let place = isQualified ? table.reference : dialect.quoted(table.name)
    return "CREATE INDEX \(dialect.quoted(table.reverseIndex)) ON \(place)"
      + " (\(dialect.quoted(SQLLinkTable.destination)), \(dialect.quoted(SQLLinkTable.source)))"
  }

  private func columnDefinition(_ column: SQLColumn) -> String {
    var text = ""
    append(column, to: &text)
    return text
  }

  private func append(_ column: SQLColumn, to text: inout String) {
    text += dialect.quoted(column.name)
    text += " "
    text += dialect.columnType(column.kind)
  }
}
