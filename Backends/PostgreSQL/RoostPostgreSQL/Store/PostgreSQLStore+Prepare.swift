// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLStore {
  /// The most columns that a table can have.
  private static let columnLimit = 1600

  package func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try translating {
      let mapping = try withConnection { connection in
        isReadOnly
          ? try mapForReading(schema, connection)
          : try mapUnchanged(schema, metadata: metadata, connection)
            ?? mapForWriting(schema, metadata: metadata, connection)
      }
      setPrepared(try PreparedSchema(mapping), metadata: metadata)
    }
  }

  /// Maps a store in which nothing is to be written: as a rule, at every start of a program but the first. One round
  /// trip, and no transaction that has to be logged.
  ///
  /// - Returns: nil when something is to be written.
  private func mapUnchanged(
    _ schema: StoreSchema, metadata: StoreMetadata, _ connection: PostgreSQLConnection
  ) throws -> SQLSchema? {
    guard metadata == self.metadata else { return nil }
    let results = try connection.run(
      [Self.forgettingOldTokens, PostgreSQLNamespace.readingNames] + SQLCatalog.reading
        // Another program may have written since this one opened the store.
        + [PostgreSQLNamespace.readingMetadata]
    ).get()
    let known = try PostgreSQLNamespace.names(in: results[1])
    let (mapping, names, changes) = try plan(schema, known, Array(results[2...3]))
    guard names.added.isEmpty, changes.isEmpty,
      try PostgreSQLNamespace.metadataText(results[4]) == openedText
    else { return nil }
    return mapping
  }

  private func mapForWriting(
    _ schema: StoreSchema, metadata: StoreMetadata, _ connection: PostgreSQLConnection
  ) throws -> SQLSchema {
    do {
      _ = try connection.run([
        .begin, try PostgreSQLNamespace.makingLock(pool.settings), Self.forgettingOldTokens,
      ]).get()
      let (mapping, names, changes) = try plan(schema, connection)
      var commands = try PostgreSQLNamespace.addingNames(names)
      commands += (changes.tables + changes.indexes).map(PostgreSQLCommand.once)
      commands += try notingIndexes(mapping, changes)
      if metadata != self.metadata {
        commands.append(try PostgreSQLNamespace.writingMetadata(metadata))
      }
      for statement in changes.tables + changes.indexes { log(statement) }
      _ = try connection.run(commands + [.commit]).get()
      return mapping
    } catch {
      try? connection.rollBack()
      guard let refusal = error as? PostgreSQLError, refusal.isUniquenessViolation else {
        throw error
      }
      throw PersistenceError(
        .migrationConstraintViolation,
        "The store has records that are not unique, as the model wants them (B199).",
        underlying: refusal)
    }
  }

  private func mapForReading(
    _ schema: StoreSchema, _ connection: PostgreSQLConnection
  ) throws -> SQLSchema {
    let (mapping, _, changes) = try plan(schema, connection)
    guard changes.tables.isEmpty else {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema,
        "The store lacks tables of the model, and is opened for reading only.")
    }
    return mapping
  }

  private func plan(
    _ schema: StoreSchema, _ connection: PostgreSQLConnection
  ) throws -> (SQLSchema, SQLNames, CatalogChanges) {
    let names = try PostgreSQLNamespace.names(connection)
    return try plan(schema, names, connection.run(SQLCatalog.reading).get())
  }

  /// Maps a schema to the tables that are there.
  private func plan(
    _ schema: StoreSchema, _ known: [String: String], _ catalog: [PostgreSQLResult]
  ) throws -> (SQLSchema, SQLNames, CatalogChanges) {
    var names = SQLNames(
      known,
      lengthLimit: SQLDialect.postgreSQL.identifierLimit)
    let mapping = SQLSchema(schema, dialect: .postgreSQL, names: &names)
    for table in mapping.tables where table.columns.count + 2 > Self.columnLimit {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema,
        "A hierarchy of entities has more properties than a table can have columns, "
          + "\(Self.columnLimit).", entityName: table.root.name)
    }
    var types: [String: [String: String]] = [:]
    let found = SQLCatalog(catalog, types: &types)
    try mapping.checkColumns(types, names: names)
    return (mapping, names, found.changes(to: mapping))
  }

  /// Remembers how the indexes were made: the server's catalogue writes their definitions in its own way.
  private func notingIndexes(
    _ mapping: SQLSchema, _ changes: CatalogChanges
  ) throws -> [PostgreSQLCommand] {
    guard !changes.indexes.isEmpty else { return [] }
    var names: [String] = []
    var definitions: [String] = []
    for table in mapping.tables {
      names += table.indexes.map(\.name)
      definitions += table.indexes.map { mapping.definition($0, on: table) }
    }
    names += mapping.linkTables.map(\.reverseIndex)
    definitions += mapping.linkTables.map(mapping.reverseDefinition)
    return [
      .once(#"DELETE FROM "_roost_indexes""#),
      try PostgreSQLCommand(
        #"INSERT INTO "_roost_indexes" (name, definition) SELECT * FROM unnest($1, $2)"#,
        [
          .list(SQLList(names.map(SQLValue.text))),
          .list(SQLList(definitions.map(SQLValue.text))),
        ]),
    ]
  }

  /// Nobody asks any more how saves ended that are a million transactions old.
  private static var forgettingOldTokens: PostgreSQLCommand {
    .once(
      """
      DELETE FROM "_roost_commits" \
      WHERE transaction < \
      CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) - 1000000
      """)
  }
}
