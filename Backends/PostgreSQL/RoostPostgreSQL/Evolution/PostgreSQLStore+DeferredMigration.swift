// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

// Deferred steps of a migration. Removing tables and columns takes constant time here, and the migration has them
// locked anyway; so only indexes are deferred. They are built while others save, outside of a transaction: an
// unfinished index is marked invalid by the server, and is dropped and built again.
extension PostgreSQLStore {
  package func finishDeferredStep(isEvolving: Bool) throws -> Bool {
    guard metadata.hasDeferredMigration, !isEvolving else { return false }
    let mapping = try prepared().mapping
    return try translating {
      guard !isReadOnly else {
        throw PersistenceError(
          .readOnlyStore, "A migration has left something to be done, and the store is read-only.")
      }
      return try withConnection { connection in
        let deadline = Deadline(after: description.timeout)
        var statements = ConcurrentStatements(connection)
        while true {
          switch try note(mapping, connection) {
          case .done(let metadata):
            setMetadata { _ in metadata }
            return metadata.hasDeferredMigration
          case .missing(let definition):
            try build(definition, deadline, &statements)
          }
        }
      }
    }
  }

  /// The state of the next step.
  private enum Progress {
    /// The step is done, and recorded as done.
    case done(StoreMetadata)
    /// The index is to be built by a statement.
    case missing(definition: String)
  }

  /// Removes the next step from the metadata if its index exists, and drops the invalid index of an earlier attempt.
  private func note(
    _ mapping: SQLSchema, _ connection: PostgreSQLConnection
  ) throws -> Progress {
    do {
      return try LockRetry(store: self).run(connection) { wait in
        let namespace = connection.namespace
        let opened = try connection.run([
          .begin, try namespace.makingLock(),
          .once(
            "SELECT json, \(PostgreSQLNamespace.format) FROM \(namespace.metadataTable) FOR UPDATE"),
        ]).get()[2]
        guard opened.count == 1, opened.integer(0, 1) == self.opened.format.number else {
          throw StoreFormat.migratedElsewhere
        }
        var metadata = try PostgreSQLNamespace.metadata(
          in: PostgreSQLNamespace.metadataText(opened))
        guard let step = metadata.nextDeferredStep(isEvolving: false) else {
          try connection.rollBack()
          return .done(metadata)
        }
        var commands: [PostgreSQLCommand] = []
        if let (table, index) = mapping.laterIndex(step.place) {
          // A program that builds the index holds this lock.
          try connection.lock([table.reference], in: "SHARE UPDATE EXCLUSIVE", waiting: wait)
          guard try isBuilt(index.name, mapping, waiting: wait, connection) else {
            return .missing(
              definition: mapping.definition(index, on: table)
                .replacing("CREATE INDEX ", with: "CREATE INDEX CONCURRENTLY ", maxReplacements: 1))
          }
          commands.append(
            try PostgreSQLCommand(
              "INSERT INTO \(namespace.indexesTable) (name, definition) VALUES ($1, $2)"
                + " ON CONFLICT (name) DO UPDATE SET definition = excluded.definition",
              [
                .text(index.name),
                .text(mapping.definition(index, on: table, isQualified: false)),
              ]))
        }
        metadata.removeDeferredStep(step)
        commands.append(try namespace.writingMetadata(metadata))
        _ = try connection.run(commands + [.commit]).get()
        return .done(metadata)
      }
    } catch {
      try? connection.rollBack()
      throw error
    }
  }

  /// Returns whether an index exists and is valid. An invalid one is dropped, which ends the current transaction.
  private func isBuilt(
    _ name: String, _ mapping: SQLSchema, waiting wait: Int, _ connection: PostgreSQLConnection
  ) throws -> Bool {
    let found = try connection.run(
      PostgreSQLCommand(
        """
        SELECT i.indisvalid FROM pg_catalog.pg_index AS i \
        WHERE i.indexrelid = CAST(pg_catalog.to_regclass($1) AS pg_catalog.oid)
        """, [.text(mapping.dialect.qualified(name))], isKept: false))
    if found.count == 1, found.isTrue() { return true }
    let drop =
      found.count == 1
      ? [
        PostgreSQLCommand.once("SET LOCAL lock_timeout = \(wait)"),
        PostgreSQLCommand.once("DROP INDEX \(mapping.dialect.qualified(name))"),
      ] : []
    _ = try connection.run(drop + [.commit]).get()
    return false
  }

  private func build(
    _ definition: String, _ deadline: Deadline, _ statements: inout ConcurrentStatements
  ) throws {
    let connection = statements.connection
    log(definition)
    connection.isPatient = true
    defer { connection.isPatient = false }
    do {
      try statements.run(definition)
    } catch let error as PostgreSQLError
      where error.isChangedTable || error.isCollision || error.isLimitOfTime
    {
      // Another program builds it as well, or uses the table for long: the state of the index is read again.
      try connection.rollBack()
      try cancellation.check()
      guard !deadline.isOver else { throw error }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  /// Drops the unfinished indexes that an earlier migration deferred, in the transaction of a further one.
  func dropUnbuilt(_ evolution: SQLEvolution, _ connection: PostgreSQLConnection) throws {
    let names = evolution.change.metadata.deferredIndexes.filter(SQLNames.isIdentifier).sorted()
    guard !names.isEmpty else { return }
    let noted = try connection.run(
      .once("SELECT name FROM \(connection.namespace.indexesTable)"))
    let built = Set((0..<noted.count).compactMap { noted.text($0) })
    for name in names where !built.contains(name) {
      try connection.run(
        .once("DROP INDEX IF EXISTS \(evolution.source.dialect.qualified(name))"))
    }
  }
}
