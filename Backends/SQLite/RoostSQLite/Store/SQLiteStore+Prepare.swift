// SPDX-License-Identifier: Apache-2.0

import CSQLite
import RoostModel
import RoostSQL
package import RoostStore

extension SQLiteStore {
  package func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try translating {
      if isReadOnly {
        try pool.read { try prepareForReading(schema, metadata: metadata, $0) }
      } else {
        let isNothingMissing = try pool.write { connection in
          if try prepareUnchanged(schema, metadata: metadata, connection) { return true }
          try prepareForWriting(schema, metadata: metadata, connection)
          return false
        }
        if isNothingMissing { try pool.handOverFirst() }
      }
    }
  }

  /// Prepares a store that needs no write, which is the case at every start of a program but the first.
  ///
  /// - Returns: Whether no write was needed.
  private func prepareUnchanged(
    _ schema: StoreSchema, metadata: StoreMetadata, _ connection: SQLiteConnection
  ) throws -> Bool {
    guard metadata == self.metadata else { return false }
    let found: PreparedSchema? = try connection.reading {
      var names = SQLNames(
        try SQLiteFile.names(connection), lengthLimit: SQLDialect.sqlite.identifierLimit)
      let mapping = SQLSchema(schema, dialect: dialect(connection), names: &names)
      guard names.added.isEmpty else { return nil }
      let catalog = try SQLCatalog(connection, mapping)
      let words = try WordTables(connection, mapping, catalog)
      guard
        try catalog.changes(
          to: mapping, names: names, deferring: metadata.deferredIndexes
        ).isEmpty, try words.isComplete(connection),
        // Another process may have written since this one opened the store.
        try SQLiteFile.opening(connection) == opened,
        try !metadata.keepsHistory || SQLiteHistoryTable.isThere(connection)
      else { return nil }
      return try PreparedSchema(mapping, words: words.usable)
    }
    guard let found else { return false }
    setPrepared(found, metadata: metadata)
    return true
  }

  private func prepareForWriting(
    _ schema: StoreSchema, metadata: StoreMetadata, _ connection: SQLiteConnection
  ) throws {
    do {
      try write(schema, metadata: metadata, connection)
    } catch is BegunEvolution {
      try EvolutionAbandonment(store: self, connection: connection).run()
      try write(schema, metadata: metadata, connection)
    }
  }

  /// An evolution has begun, and its names would be given to other things.
  private struct BegunEvolution: Error {}

  private func write(
    _ schema: StoreSchema, metadata: StoreMetadata, _ connection: SQLiteConnection
  ) throws {
    var metadata = metadata
    var opened = opened
    let mapping = try connection.writing {
      try pool.checkVersion(connection)
      opened.format = try SQLiteFile.opening(connection).format
      let stored = try SQLiteFile.metadata(connection)
      // Another process may have written metadata since this one opened the store.
      metadata = metadata.preparing(over: stored, since: self.metadata)
      var names = SQLNames(
        try SQLiteFile.names(connection), lengthLimit: SQLDialect.sqlite.identifierLimit)
      let mapping = SQLSchema(schema, dialect: dialect(connection), names: &names)
      try checkLimits(mapping, connection)
      guard try names.added.isEmpty || !SQLiteFile.hasJournal(connection) else {
        throw BegunEvolution()
      }
      try SQLiteFile.addNames(names, connection)
      let catalog = try SQLCatalog(connection, mapping)
      let changes = try catalog.changes(
        to: mapping, names: names, deferring: metadata.deferredIndexes)
      for statement in changes.tables + changes.indexes {
        log(statement)
        do {
          try connection.execute(statement)
        } catch let error as SQLiteError where error.isUniquenessViolation {
          throw mapping.uniquenessError(error) { _, definition in definition == statement }
        }
      }
      try WordTables(connection, mapping, catalog).reconcile(connection) { log($0) }
      if metadata.keepsHistory { try SQLiteHistoryTable.make(connection) }
      if metadata != stored {
        opened.text = try SQLiteFile.writeMetadata(metadata, connection)
        if metadata.keepsModel == true {
          try SQLiteFile.writeModelText(
            of: schema, checksum: metadata.versionChecksum, connection)
        }
      }
      if metadata.beginsHistory(after: stored) {
        // Processes that had the store open before would not write the history.
        opened.format = opened.format.next
        try SQLiteFile.writeFormat(opened.format, connection)
      }
      return mapping
    }
    if opened.format != self.opened.format { setEvolved(opened, metadata: metadata) }
    let words =
      mapping.wordColumns.isEmpty
      ? [:]
      : try WordTables.complete(connection, mapping) { try pool.checkVersion(connection) }
    setPrepared(try PreparedSchema(mapping, words: words), metadata: metadata)
  }

  private func prepareForReading(
    _ schema: StoreSchema, metadata: StoreMetadata, _ connection: SQLiteConnection
  ) throws {
    var names = SQLNames(
      try SQLiteFile.names(connection), lengthLimit: SQLDialect.sqlite.identifierLimit)
    let mapping = SQLSchema(schema, dialect: dialect(connection), names: &names)
    let catalog = try SQLCatalog(connection, mapping)
    guard try catalog.changes(to: mapping, names: names).tables.isEmpty else {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema,
        "The store lacks tables of the model, and is opened for reading only.")
    }
    let words = try WordTables(connection, mapping, catalog).usable
    setPrepared(try PreparedSchema(mapping, words: words), metadata: metadata)
  }

  func dialect(_ connection: SQLiteConnection) -> SQLDialect {
    var dialect = SQLDialect.sqlite
    dialect.parameterLimit = connection.parameterLimit
    return dialect
  }

  func checkLimits(_ mapping: SQLSchema, _ connection: SQLiteConnection) throws {
    let limit = Int(sqlite3_limit(connection.handle, SQLITE_LIMIT_COLUMN, -1))
    for table in mapping.tables where table.columns.count + 2 > limit {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema,
        "A hierarchy of entities has more properties than a table can have columns, \(limit).",
        entityName: table.root.name)
    }
  }
}
