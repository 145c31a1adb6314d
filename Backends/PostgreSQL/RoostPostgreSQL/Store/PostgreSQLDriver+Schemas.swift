// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLDriver {
  /// Removes the store's tables, and the schema if nothing else is in it (B239).
  package func destroy(_ description: PersistentStoreDescription) throws {
    let settings = try settings(description)
    try translating(description) {
      let connection = try Self.connect(settings, description)
      let namespace = connection.namespace
      if case .empty = try namespace.state(connection) { return }
      try namespace.check(connection)
      do {
        _ = try connection.run([.begin, try namespace.makingLock()]).get()
        try Self.remove(description, connection)
        try connection.run(.commit)
      } catch {
        try? connection.rollBack()
        throw error
      }
    }
  }

  /// Removes a store, as part of the open transaction.
  private static func remove(
    _ description: PersistentStoreDescription, _ connection: PostgreSQLConnection
  ) throws {
    let namespace = connection.namespace
    let names = try ownTables(connection)
    try takeAlone(
      description, hasSessions: names.contains(PostgreSQLNamespace.sessions), connection)
    let schema = PostgreSQLNamespace.quoted(namespace.schema)
    let tables = names.map(namespace.table)
    _ = try connection.run([
      .once("DROP TABLE \(tables.joined(separator: ", "))"),
      .once("DROP SEQUENCE IF EXISTS \(namespace.sequence)"),
      .once("SAVEPOINT roost_schema"),
    ]).get()
    guard let failure = try connection.run([.once("DROP SCHEMA \(schema)")]).failure else { return }
    // Another program keeps something in the schema, of whatever kind, or the schema is theirs: then it stays.
    guard failure.error.keepsSchema else { throw failure.error }
    try connection.run(.once("ROLLBACK TO SAVEPOINT roost_schema"))
  }

  /// Makes sure that nobody has the store open. Connections that were closed just now may take the server a moment.
  private static func takeAlone(
    _ description: PersistentStoreDescription, hasSessions: Bool,
    _ connection: PostgreSQLConnection
  ) throws {
    guard try !description.isOn(StoreOption.forceDestroy) else { return }
    let deadline = Deadline(after: min(description.timeout, 1))
    let attempt = PostgreSQLCommand(
      "SELECT pg_catalog.pg_try_advisory_xact_lock(\(connection.namespace.usingLock))")
    func isTrue(_ command: PostgreSQLCommand) throws -> Bool {
      try connection.run(command).isTrue()
    }
    let search = StoreLease.search(connection.namespace)
    while true {
      if try isTrue(attempt), try !hasSessions || !isTrue(search) { return }
      guard !deadline.isOver else {
        throw PersistenceError(.storeBusy, "The store is open elsewhere.")
      }
      Thread.sleep(forTimeInterval: 0.002)
    }
  }

  /// The tables of the schema that the store has made.
  private static func ownTables(_ connection: PostgreSQLConnection) throws -> [String] {
    let known = Set(try connection.namespace.names(connection).values)
      .union(PostgreSQLNamespace.tables)
    return try SQLCatalog(connection).columnsByTable.keys
      .filter(known.contains).sorted()
  }
}

// MARK: - Copies

extension PostgreSQLDriver {
  /// Copies one store over another, or to where there is none (B240), on one server or from one to another. The old
  /// store goes and the copy comes in one transaction: whatever fails, one of them is there.
  package func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    let from = try PostgreSQLDriver.driver(of: source).settings(source)
    let to = try settings(destination)
    try translating(destination) {
      let input = try Self.connect(from, source, isReadOnly: true)
      guard case .store = try input.namespace.state(input) else {
        throw PersistenceError(.persistentStoreOpen, "There is no store to copy.")
      }
      try input.namespace.check(input)
      guard PostgreSQLURI.place(from) != PostgreSQLURI.place(to) else {
        throw PersistenceError(.persistentStoreOperation, "A store cannot replace itself.")
      }
      let output = try Self.connect(to, destination)
      do {
        let namespace = output.namespace
        _ = try output.run([.begin, try namespace.makingLock()]).get()
        switch try namespace.state(output) {
        case .empty: break
        case .store, .foreign:
          try namespace.check(output)
          try Self.remove(destination, output)
        }
        try namespace.fill(output)
        try copy(from: input, to: output)
        try output.run(.commit)
      } catch {
        // Half a copy is none, and what was there before stays.
        try? output.rollBack()
        throw error
      }
    }
  }

  private static func driver(of description: PersistentStoreDescription) -> PostgreSQLDriver {
    description.type.driver as? PostgreSQLDriver ?? PostgreSQLDriver()
  }

  /// Copies a store into tables that were just made, as part of the open transaction.
  private func copy(from input: PostgreSQLConnection, to output: PostgreSQLConnection) throws {
    _ = try input.run([.beginReading]).get()
    let catalog = try SQLCatalog(input)
    let known = Set(try input.namespace.names(input).values)
    for table in catalog.columnsByTable.keys.filter(known.contains).sorted() {
      let columns = try Self.columns(of: table, input)
      let text = try Self.definition(of: table, columns, input, in: output.namespace)
      _ = try output.run([.once(text)]).get()
      try Self.copyTable(table, columns.map(\.name), from: input, to: output)
    }
    _ = try output.run([.once("DELETE FROM \(output.namespace.metadataTable)")]).get()
    for table in PostgreSQLNamespace.tables where !PostgreSQLNamespace.unshared.contains(table) {
      let columns = try Self.columns(of: table, input)
      try Self.copyTable(table, columns.map(\.name), from: input, to: output)
    }
    let last = try input.run(.once("SELECT last_value FROM \(input.namespace.sequence)")).integer()
    let indexes = catalog.definitionsByIndex.sorted { $0.key < $1.key }.map(\.value)
    let identity = output.namespace.identity(of: output.namespace.sequence)
    let sequence = try PostgreSQLCommand(
      "SELECT pg_catalog.setval(\(identity), $1)", [.integer(last)])
    _ = try output.run(indexes.map(PostgreSQLCommand.once) + [sequence]).get()
    _ = try input.run([.commit]).get()
  }

  private static func copyTable(
    _ table: String, _ columns: [String], from input: PostgreSQLConnection,
    to output: PostgreSQLConnection
  ) throws {
    let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    try output.copyBytes(into: "\(output.namespace.table(table)) (\(names))") { put in
      try input.copyOut(of: "\(input.namespace.table(table)) (\(names))", put)
    }
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

  private static func definition(
    of table: String, _ columns: [(name: String, definition: String)],
    _ connection: PostgreSQLConnection, in namespace: PostgreSQLNamespace
  ) throws -> String {
    let keys = try connection.run(
      PostgreSQLCommand(
        """
        SELECT a.attname FROM pg_catalog.pg_index i \
        JOIN pg_catalog.unnest(i.indkey) WITH ORDINALITY AS k (number, place) ON true \
        JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
        WHERE i.indrelid = CAST(CAST($1 AS pg_catalog.text) AS pg_catalog.regclass) \
        AND i.indisprimary ORDER BY k.place
        """, [.text(connection.namespace.table(table))]))
    let names = (0..<keys.count).compactMap { keys.text($0) }.map { "\"\($0)\"" }
    let key = "PRIMARY KEY (\(names.joined(separator: ", ")))"
    let parts = columns.map(\.definition) + [key]
    return "CREATE TABLE \(namespace.table(table)) (\(parts.joined(separator: ", ")))"
  }
}
