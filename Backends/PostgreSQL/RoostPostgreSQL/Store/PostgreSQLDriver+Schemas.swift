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
      if case .empty = try PostgreSQLNamespace.state(settings, connection) { return }
      try PostgreSQLNamespace.check(settings, connection)
      try Self.removeAlone(settings, description, connection)
    }
  }

  private static func removeAlone(
    _ settings: PostgreSQLSettings, _ description: PersistentStoreDescription,
    _ connection: PostgreSQLConnection
  ) throws {
    do {
      _ = try connection.run([.begin, try PostgreSQLNamespace.makingLock(settings)]).get()
      try takeAlone(description, connection)
      let schema = PostgreSQLNamespace.quoted(settings.schema)
      let tables = try ownTables(connection).map { "\(schema).\"\($0)\"" }
      var commands = [
        PostgreSQLCommand.once("DROP TABLE \(tables.joined(separator: ", "))"),
        .once("DROP SEQUENCE IF EXISTS \(schema).\"\(PostgreSQLNamespace.sequence)\""),
      ]
      if try ownsAll(tables.count, settings, connection) {
        commands.append(.once("DROP SCHEMA \(schema)"))
      }
      _ = try connection.run(commands + [.commit]).get()
    } catch {
      try? connection.rollBack()
      throw error
    }
  }

  /// Makes sure that nobody has the store open. Connections that were closed just now may take the server a moment.
  private static func takeAlone(
    _ description: PersistentStoreDescription, _ connection: PostgreSQLConnection
  ) throws {
    guard description.options[StoreOption.forceDestroy] != .boolean(true) else { return }
    let deadline = Deadline(after: min(description.timeout, 1))
    let attempt = PostgreSQLCommand(
      "SELECT pg_try_advisory_xact_lock(\(PostgreSQLNamespace.usingLock))")
    while true {
      let result = try connection.run(attempt)
      if ResultField.bytes(result.handle, 0, 0)?.first == 1 { return }
      guard !deadline.isOver else {
        throw PersistenceError(.storeBusy, "The store is open elsewhere.")
      }
      Thread.sleep(forTimeInterval: 0.002)
    }
  }

  /// The tables of the schema that the store has made.
  private static func ownTables(_ connection: PostgreSQLConnection) throws -> [String] {
    let known = Set(try PostgreSQLNamespace.names(connection).values)
      .union(PostgreSQLNamespace.tables)
    var types: [String: [String: String]] = [:]
    return try SQLCatalog(connection, types: &types).columnsByTable.keys
      .filter(known.contains).sorted()
  }

  /// Whether a schema has no relations but so many tables with their indexes, and the sequence; and may be dropped.
  private static func ownsAll(
    _ tables: Int, _ settings: PostgreSQLSettings, _ connection: PostgreSQLConnection
  ) throws -> Bool {
    let result = try connection.run(
      PostgreSQLCommand(
        """
        SELECT (SELECT count(*) FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid \
        AND c.relkind NOT IN ('i', 'I', 't', 'S', 'c')), \
        (SELECT count(*) FROM pg_catalog.pg_proc p WHERE p.pronamespace = n.oid), \
        pg_catalog.pg_has_role(n.nspowner, 'USAGE') \
        FROM pg_catalog.pg_namespace n WHERE n.nspname = $1
        """, [.text(settings.schema)], isKept: false))
    return result.count == 1 && result.integer(0, 0) == Int64(tables)
      && result.integer(0, 1) == 0 && ResultField.bytes(result.handle, 0, 2)?.first == 1
  }
}

// MARK: - Copies

extension PostgreSQLDriver {
  /// Copies one store over another, or to where there is none (B240), on one server or from one to another. The copy is
  /// one transaction.
  package func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    let from = try PostgreSQLDriver.driver(of: source).settings(source)
    let to = try settings(destination)
    try translating(destination) {
      let input = try Self.connect(from, source, isReadOnly: true)
      guard case .store = try PostgreSQLNamespace.state(from, input) else {
        throw PersistenceError(.persistentStoreOpen, "There is no store to copy.")
      }
      try PostgreSQLNamespace.check(from, input)
      guard PostgreSQLURI.place(from) != PostgreSQLURI.place(to) else {
        throw PersistenceError(.persistentStoreOperation, "A store cannot replace itself.")
      }
      try destroy(destination)
      let output = try Self.connect(to, destination)
      try PostgreSQLNamespace.makeOrCheck(to, output)
      do {
        try copy(from: input, to: output)
      } catch {
        // Half a copy is none.
        try? output.rollBack()
        try? destroy(destination)
        throw error
      }
    }
  }

  private static func driver(of description: PersistentStoreDescription) -> PostgreSQLDriver {
    description.type.driver as? PostgreSQLDriver ?? PostgreSQLDriver()
  }

  private func copy(from input: PostgreSQLConnection, to output: PostgreSQLConnection) throws {
    _ = try input.run([.beginReading]).get()
    var types: [String: [String: String]] = [:]
    let catalog = try SQLCatalog(input, types: &types)
    _ = try output.run([.begin]).get()
    let known = Set(try PostgreSQLNamespace.names(input).values)
    for table in catalog.columnsByTable.keys.filter(known.contains).sorted() {
      let columns = try Self.columns(of: table, input)
      let text = try Self.definition(of: table, columns, input)
      _ = try output.run([.once(text)]).get()
      try Self.copyTable(table, columns.map(\.name), from: input, to: output)
    }
    _ = try output.run([.once(#"DELETE FROM "_roost_metadata""#)]).get()
    for table in PostgreSQLNamespace.tables where table != "_roost_commits" {
      let columns = try Self.columns(of: table, input)
      try Self.copyTable(table, columns.map(\.name), from: input, to: output)
    }
    let last = try input.run(.once(#"SELECT last_value FROM "_roost_sequence""#)).integer()
    let indexes = catalog.definitionsByIndex.sorted { $0.key < $1.key }.map(\.value)
    let sequence = try PostgreSQLCommand(
      #"SELECT setval('"_roost_sequence"', $1)"#, [.integer(last)])
    _ = try output.run(indexes.map(PostgreSQLCommand.once) + [sequence, .commit]).get()
    _ = try input.run([.commit]).get()
  }

  private static func copyTable(
    _ table: String, _ columns: [String], from input: PostgreSQLConnection,
    to output: PostgreSQLConnection
  ) throws {
    let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    try output.copyBytes(into: "\"\(table)\" (\(names))") { put in
      try input.copyOut(of: "\"\(table)\" (\(names))", put)
    }
  }

  private static func columns(
    of table: String, _ connection: PostgreSQLConnection
  ) throws -> [(name: String, definition: String)] {
    let result = try connection.run(
      PostgreSQLCommand(
        """
        SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull \
        FROM pg_catalog.pg_attribute a WHERE a.attrelid = $1::text::regclass \
        AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
        """, [.text("\"\(table)\"")]))
    return (0..<result.count).compactMap { row in
      guard let name = result.text(row, 0), let type = result.text(row, 1) else { return nil }
      let collation = type == "text" ? " COLLATE \"C\"" : ""
      let null = ResultField.bytes(result.handle, row, 2)?.first == 1 ? " NOT NULL" : ""
      return (name, "\"\(name)\" \(type)\(collation)\(null)")
    }
  }

  private static func definition(
    of table: String, _ columns: [(name: String, definition: String)],
    _ connection: PostgreSQLConnection
  ) throws -> String {
    let keys = try connection.run(
      PostgreSQLCommand(
        """
        SELECT a.attname FROM pg_catalog.pg_index i \
        JOIN unnest(i.indkey) WITH ORDINALITY AS k (number, place) ON true \
        JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
        WHERE i.indrelid = $1::text::regclass AND i.indisprimary ORDER BY k.place
        """, [.text("\"\(table)\"")]))
    let names = (0..<keys.count).compactMap { keys.text($0) }.map { "\"\($0)\"" }
    let key = "PRIMARY KEY (\(names.joined(separator: ", ")))"
    return
      "CREATE TABLE \"\(table)\" (\((columns.map(\.definition) + [key]).joined(separator: ", ")))"
  }
}
