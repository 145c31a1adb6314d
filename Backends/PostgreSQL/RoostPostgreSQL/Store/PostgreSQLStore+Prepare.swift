// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLStore {
  /// The most columns that a table can have.
  private static let columnLimit = 1600

  package func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try translating {
      let reading = try takeReading()
      var metadata = metadata
      let mapping =
        if isReadOnly {
          try mapForReading(schema, metadata: metadata, reading)
        } else if oldVersion != nil {
          try mapSecond(schema, metadata: metadata, reading)
        } else if let unchanged = try mapUnchanged(schema, metadata: metadata, reading) {
          unchanged
        } else {
          try withConnection { try mapForWriting(schema, metadata: &metadata, $0) }
        }
      setPrepared(try PreparedSchema(mapping), metadata: metadata)
    }
  }

  /// Maps a store in which nothing is to be written: as a rule, at every start of a program but the first. Asks the
  /// server for nothing.
  ///
  /// - Returns: nil when something is to be written.
  private func mapUnchanged(
    _ schema: StoreSchema, metadata: StoreMetadata, _ reading: StoreReading
  ) throws -> SQLSchema? {
    guard metadata == self.metadata, !metadata.keepsHistory || reading.hasHistory else {
      return nil
    }
    let (mapping, names, changes) = try plan(schema, metadata, reading)
    // Another program may have written since this one opened the store.
    guard names.added.isEmpty, changes.isEmpty, reading.opened == opened else { return nil }
    return mapping
  }

  private func mapForWriting(
    _ schema: StoreSchema, metadata: inout StoreMetadata, _ connection: PostgreSQLConnection
  ) throws -> SQLSchema {
    var planned: SQLSchema?
    var opened = opened
    do {
      let namespace = connection.namespace
      _ = try connection.run([.begin, try namespace.makingLock()]).get()
      let reading = try StoreReading(connection.run(StoreReading.commands(connection)))
      guard reading.opened.format == opened.format else { throw StoreFormat.migratedElsewhere }
      let stored = try PostgreSQLNamespace.metadata(in: reading.opened.text)
      // What another program has begun to keep since this one opened the store is kept.
      metadata.goOnWithHistory(of: stored)
      let (mapping, names, changes) = try plan(schema, metadata, reading)
      planned = mapping
      var commands = try namespace.addingNames(names)
      if metadata.keepsHistory, !reading.hasHistory {
        guard !reading.hasSecondVersion else { throw Self.twoVersions }
        commands += namespace.makingHistory
      }
      if metadata.keepsPreviousValues, !stored.keepsPreviousValues, reading.hasSecondVersion {
        throw Self.twoVersions
      }
      commands += (changes.tables + changes.indexes).map(PostgreSQLCommand.once)
      if !changes.indexes.isEmpty {
        commands += try notingIndexes(mapping, except: metadata.deferredIndexes, namespace)
      }
      if metadata != self.metadata {
        commands.append(try namespace.writingMetadata(metadata))
        if metadata.keepsModel == true {
          commands += try namespace.writingModelText(
            of: schema, checksum: metadata.versionChecksum)
        }
      }
      if metadata.beginsHistory(after: stored) {
        // Programs that had the store open before would go on without it.
        opened.format = opened.format.next
        commands.append(namespace.writing(opened.format))
      }
      commands.append(.once("SELECT json FROM \(namespace.metadataTable)"))
      for statement in changes.tables + changes.indexes { log(statement) }
      let results = try connection.run(commands + [.commit]).get()
      opened.text = try PostgreSQLNamespace.metadataText(results[commands.count - 1])
      if opened.format != self.opened.format { setEvolved(opened, metadata: metadata) }
      return mapping
    } catch {
      try? connection.rollBack()
      guard let refusal = error as? PostgreSQLError, refusal.isUniquenessViolation, let planned
      else { throw error }
      throw planned.uniquenessError(refusal) { name, _ in refusal.constraint == name }
    }
  }

  /// Maps the second version of a store that serves two. Indexes that a program of it has besides are made when the
  /// store is prepared after it was contracted.
  private func mapSecond(
    _ schema: StoreSchema, metadata: StoreMetadata, _ reading: StoreReading
  ) throws -> SQLSchema {
    guard opened.accepts(reading.opened.format.number) else {
      throw StoreFormat.migratedElsewhere
    }
    guard !metadata.keepsHistory || reading.hasHistory else { throw Self.twoVersions }
    let (mapping, names, changes) = try plan(schema, metadata, reading)
    guard changes.tables.isEmpty, names.added.allSatisfy(\.isOfIndex) else {
      throw PersistenceError(
        .corruptStore, "The store lacks tables of the second version that it serves.")
    }
    return mapping
  }

  /// The error of a history that is to begin in a store whose other version's programs would not write it.
  private static var twoVersions: PersistenceError {
    PersistenceError(
      .persistentStoreOperation,
      "The store serves two versions of its model; contract it before it begins to keep a history.",
      key: StoreOption.historyTracking)
  }

  private func mapForReading(
    _ schema: StoreSchema, metadata: StoreMetadata, _ reading: StoreReading
  ) throws -> SQLSchema {
    let (mapping, _, changes) = try plan(schema, metadata, reading)
    guard changes.tables.isEmpty else {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema,
        "The store lacks tables of the model, and is opened for reading only.")
    }
    return mapping
  }

  /// Maps a schema to the tables that are there.
  private func plan(
    _ schema: StoreSchema, _ metadata: StoreMetadata, _ reading: StoreReading
  ) throws -> (SQLSchema, SQLNames, CatalogChanges) {
    var names = SQLNames(
      reading.names, lengthLimit: SQLDialect.postgreSQL.identifierLimit)
    var dialect = SQLDialect.postgreSQL
    dialect.namespace = pool.settings.namespace.prefix
    let mapping = SQLSchema(schema, dialect: dialect, names: &names)
    try Self.checkLimits(mapping)
    let changes = try reading.catalog.changes(
      to: mapping, names: names, deferring: metadata.deferredIndexes)
    return (mapping, names, changes)
  }

  static func checkLimits(_ mapping: SQLSchema) throws {
    for table in mapping.tables where table.columns.count + 2 > columnLimit {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema,
        "A hierarchy of entities has more properties than a table can have columns, "
          + "\(columnLimit).", entityName: table.root.name)
    }
  }

  /// Remembers how the indexes were made: the server's catalogue writes their definitions in its own way. They are
  /// noted without the schema, because a copy of the store is in another one.
  ///
  /// - Parameter unbuilt: The indexes that are built later.
  func notingIndexes(
    _ mapping: SQLSchema, except unbuilt: Set<String>, _ namespace: PostgreSQLNamespace
  ) throws -> [PostgreSQLCommand] {
    var names: [String] = []
    var definitions: [String] = []
    for table in mapping.tables {
      for index in table.indexes where !unbuilt.contains(index.name) {
        names.append(index.name)
        definitions.append(mapping.definition(index, on: table, isQualified: false))
      }
    }
    names += mapping.linkTables.map(\.reverseIndex)
    definitions += mapping.linkTables.map { mapping.reverseDefinition($0, isQualified: false) }
    return [
      .once("DELETE FROM \(namespace.indexesTable)"),
      try PostgreSQLCommand(
        "INSERT INTO \(namespace.indexesTable) (name, definition) SELECT * FROM unnest($1, $2)",
        [
          .list(SQLList(names.map(SQLValue.text))),
          .list(SQLList(definitions.map(SQLValue.text))),
        ]),
    ]
  }
}
