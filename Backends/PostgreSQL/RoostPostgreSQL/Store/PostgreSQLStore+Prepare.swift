// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
package import RoostStore

extension PostgreSQLStore {
  /// The largest number of columns of a table.
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
      var words: [SQLWordColumn: WordTable] = [:]
      if !mapping.wordColumns.isEmpty
        || reading.catalog.columnsByTable[WordTable.registry] != nil
      {
        let servesOne = oldVersion == nil && !reading.hasSecondVersion
        words = try WordTables.complete(self, mapping, mayChange: !isReadOnly && servesOne)
      }
      setPrepared(try PreparedSchema(mapping, words: words), metadata: metadata)
    }
  }

  /// Maps a store that needs no write, which is the case at every start of a program but the first. Sends no query.
  ///
  /// - Returns: nil when something has to be written.
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
      let (reading, stored) = try StoreReading.forWriting(metadata, to: self, connection)
      // Another program may have written metadata since this one opened the store.
      metadata = metadata.preparing(over: stored, since: self.metadata)
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
      if metadata != stored {
        commands.append(try namespace.writingMetadata(metadata))
        if metadata.keepsModel == true {
          commands += try namespace.writingModelText(
            of: schema, checksum: metadata.versionChecksum)
        }
      }
      if metadata.beginsHistory(after: stored) {
        // Programs that had the store open before would not write the history.
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

  /// Maps the second version of a store that serves two. Additional indexes of a program of that version are created
  /// when the store is prepared after its contraction.
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

  /// The error for a history that is to begin while programs of the other version would not write it.
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

  /// Maps a schema to the existing tables.
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

  /// Records the definitions of the indexes, because the server's catalog rewrites them. They are recorded without the
  /// schema, because a copy of the store is in another one.
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

extension StoreReading {
  /// Reads a store in the open transaction, and locks the row of its metadata first if other metadata are to be
  /// written. An opening that leaves them as they are takes no lock: a prepared part of a save may hold it.
  ///
  /// - Returns: What was read, and the stored metadata.
  fileprivate static func forWriting(
    _ metadata: StoreMetadata, to store: PostgreSQLStore, _ connection: PostgreSQLConnection
  ) throws -> (StoreReading, StoreMetadata) {
    func read() throws -> (StoreReading, StoreMetadata) {
      let reading = try StoreReading(connection.run(StoreReading.commands(connection)))
      guard reading.opened.format == store.opened.format else {
        throw StoreFormat.migratedElsewhere
      }
      return (reading, try PostgreSQLNamespace.metadata(in: reading.opened.text))
    }
    let (reading, stored) = try read()
    guard metadata.preparing(over: stored, since: store.metadata) != stored else {
      return (reading, stored)
    }
    _ = try connection.namespace.lockedMetadata(connection)
    return try read()
  }
}
