// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL

/// The layout of a store, without the rows of its tables: what another schema needs to hold the same store.
struct StoreLayout {
  /// Receives the bytes of rows, one piece after the other.
  typealias Put = (UnsafeRawBufferPointer) throws -> Void
  /// Returns the reader of a table's rows, which passes their bytes to a `Put` closure.
  typealias Rows = (Table) -> ((Put) throws -> Void)

  struct Table {
    let name: String
    fileprivate let columns: [(name: String, definition: String)]
    fileprivate let key: [String]
  }

  /// The tables of the model.
  let tables: [Table]
  /// The tables in which the store keeps its names, metadata and indexes.
  let ownTables: [Table]
  private let indexes: [String]
  private let lastNumber: Int64

  /// Reads the layout, as part of the open transaction.
  init(_ connection: PostgreSQLConnection) throws {
    let catalog = try SQLCatalog(connection)
    guard catalog.columnsByTable[PostgreSQLNamespace.versions] == nil else {
      throw PersistenceError(
        .persistentStoreOperation,
        "The store serves two versions of its model and cannot be copied; contract it first.")
    }
    let known = Set(try connection.namespace.names(connection).values)
    tables = try catalog.columnsByTable.keys.filter(known.contains).sorted()
      .map { try Table($0, connection) }
    ownTables = try PostgreSQLNamespace.tables
      .filter {
        !PostgreSQLNamespace.unshared.contains($0) && catalog.columnsByTable[$0] != nil
      }.map { try Table($0, connection) }
    indexes = catalog.definitionsByIndex.sorted { $0.key < $1.key }.map(\.value)
    let sequence = connection.namespace.sequence
    lastNumber = try connection.run(.once("SELECT last_value FROM \(sequence)")).integer()
  }

  /// Creates the store in a schema that has its own tables already, as part of the open transaction.
  func make(_ connection: PostgreSQLConnection, rows: Rows) throws {
    let namespace = connection.namespace
    for table in tables {
      _ = try connection.run([.once(table.definition(in: namespace))]).get()
      try table.write(connection, rows)
    }
    _ = try connection.run([.once("DELETE FROM \(namespace.metadataTable)")]).get()
    for table in ownTables { try table.write(connection, rows) }
    let identity = namespace.identity(of: namespace.sequence)
    let sequence = try PostgreSQLCommand(
      "SELECT pg_catalog.setval(\(identity), $1)", [.integer(lastNumber)])
    _ = try connection.run(indexes.map(PostgreSQLCommand.once) + [sequence]).get()
  }
}

extension StoreLayout.Table {
  fileprivate init(_ name: String, _ connection: PostgreSQLConnection) throws {
    self.name = name
    columns = try Self.columns(of: name, connection)
    key = try Self.key(of: name, connection)
  }

  /// Returns the table and its columns, as COPY names them.
  private func source(in namespace: PostgreSQLNamespace) -> String {
    let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    return "\(namespace.table(name)) (\(names))"
  }

  /// Passes the bytes of the rows to `body`.
  func read(_ connection: PostgreSQLConnection, _ body: StoreLayout.Put) throws {
    try connection.copyOut(of: source(in: connection.namespace), body)
  }

  fileprivate func write(
    _ connection: PostgreSQLConnection, _ rows: StoreLayout.Rows
  ) throws {
    try connection.copyBytes(into: source(in: connection.namespace), rows(self))
  }

  fileprivate func definition(in namespace: PostgreSQLNamespace) -> String {
    let names = key.map { "\"\($0)\"" }.joined(separator: ", ")
    let parts = columns.map(\.definition) + ["PRIMARY KEY (\(names))"]
    return "CREATE TABLE \(namespace.table(name)) (\(parts.joined(separator: ", ")))"
  }

  private static func columns(
    of table: String, _ connection: PostgreSQLConnection
  ) throws -> [(name: String, definition: String)] {
    let result = try connection.run(
      PostgreSQLCommand(
        """
        SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull \
        FROM pg_catalog.pg_attribute a WHERE a.attrelid = CAST(CAST($1 AS pg_catalog.text) AS pg_catalog.regclass) \
        AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
        """, [.text(connection.namespace.table(table))]))
    return (0..<result.count).compactMap { row in
      guard let name = result.text(row, 0), let type = result.text(row, 1) else { return nil }
      let collation = type == "text" ? " COLLATE \"C\"" : ""
      let null = result.isTrue(row, 2) ? " NOT NULL" : ""
      return (name, "\"\(name)\" \(type)\(collation)\(null)")
    }
  }

  private static func key(
    of table: String, _ connection: PostgreSQLConnection
  ) throws -> [String] {
    let result = try connection.run(
      PostgreSQLCommand(
        """
        SELECT a.attname FROM pg_catalog.pg_index i \
        JOIN pg_catalog.unnest(i.indkey) WITH ORDINALITY AS k (number, place) ON true \
        JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
        WHERE i.indrelid = CAST(CAST($1 AS pg_catalog.text) AS pg_catalog.regclass) \
        AND i.indisprimary ORDER BY k.place
        """, [.text(connection.namespace.table(table))]))
    return (0..<result.count).compactMap { result.text($0) }
  }
}
