// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

// Everything is one transaction. It takes all tables for itself first, so that no save is under way that knows the old
// version only, and it waits for them in short turns: who comes while one waits for a lock waits behind it.
extension PostgreSQLStore: StoreEvolution {
  package var evolution: (any StoreEvolution)? { self }

  package func storedModel() throws -> [UInt8]? {
    try translating {
      try withReading { try $0.namespace.modelText($0) }
    }
  }

  package func steps(of change: SchemaChange) throws -> [MigrationPlan.Step] {
    try translating {
      try withReading { connection in
        let reading = try StoreReading.beginSnapshot(connection)
        defer { try? connection.rollBack() }
        let evolution = try plan(change, reading)
        return try evolution.steps(
          PostgreSQLEvolutionSession(
            self, try PreparedSchema(evolution.destination), connection))
      }
    }
  }

  package func evolve(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool {
    try translating {
      guard !isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      // A part is kept as the old version has its records; one that is prepared from now on holds what is locked below.
      if let part = try preparation?.pending().first {
        throw part.inDoubt(in: identity.identifier)
      }
      let evolved = try MigrationCommit.awaiting(in: self) { commit in
        try withConnection { connection in
          do {
            guard let (evolution, userValues, views) = try begin(change, connection) else {
              try connection.rollBack()
              return nil as (OpenedState, StoreMetadata)?
            }
            commit.begin()
            var metadata = metadata
            metadata.userValues = userValues
            return try run(evolution, views, metadata, reporter, connection, &commit)
          } catch {
            try? connection.rollBack()
            throw error
          }
        }
      }
      guard let evolved else { return false }
      setEvolved(evolved.0, metadata: evolved.1)
      return true
    }
  }

  // MARK: - The locks

  /// An evolution, what programs have added to the metadata by now, and the views that are made again.
  private typealias Begun = (SQLEvolution, [String: MetadataValue], SuspendedViews)

  /// Begins the transaction, with all tables locked.
  ///
  /// - Returns: nil when the store is no longer what it was.
  private func begin(
    _ change: SchemaChange, _ connection: PostgreSQLConnection
  ) throws -> Begun? {
    try LockRetry(store: self).run(connection) { wait in try lock(change, wait, connection) }
  }

  private func lock(
    _ change: SchemaChange, _ wait: Int, _ connection: PostgreSQLConnection
  ) throws -> Begun? {
    let namespace = connection.namespace
    let opened = try connection.run([
      .begin, try namespace.makingLock(),
      .once(
        "SELECT json, \(PostgreSQLNamespace.format) FROM \(namespace.metadataTable) FOR UPDATE"),
    ]).get()[2]
    guard opened.integer(0, 1) == self.opened.format.number else { return nil }
    let stored = try PostgreSQLNamespace.metadata(in: PostgreSQLNamespace.metadataText(opened))
    guard stored.isSource(of: change) else { return nil }
    let reading = try StoreReading(connection.run(StoreReading.commands(connection)))
    guard !reading.hasSecondVersion else { return nil }
    let evolution = try plan(change, reading)
    let views = try SuspendedViews(self, connection, waiting: wait)
    let source = evolution.source
    let tables = source.tables.map(\.reference) + source.linkTables.map(\.reference)
    if !tables.isEmpty {
      try connection.lock(tables, in: "ACCESS EXCLUSIVE", waiting: wait)
    }
    return (evolution, stored.userValues, views)
  }

  // MARK: - The changes

  private func plan(_ change: SchemaChange, _ reading: StoreReading) throws -> SQLEvolution {
    var dialect = SQLDialect.postgreSQL
    dialect.namespace = pool.settings.namespace.prefix
    let evolution = try SQLEvolution(
      change, names: SQLNames(reading.names, lengthLimit: dialect.identifierLimit),
      catalog: reading.catalog, dialect: dialect, hidesFromReaders: true,
      defers: description.evolution.defersLightweightMigration)
    try Self.checkLimits(evolution.destination)
    return evolution
  }

  private func run(
    _ evolution: SQLEvolution, _ views: SuspendedViews, _ metadata: StoreMetadata,
    _ reporter: MigrationReporter, _ connection: PostgreSQLConnection,
    _ commit: inout MigrationCommit
  ) throws -> (OpenedState, StoreMetadata) {
    let namespace = connection.namespace
    var metadata = metadata
    metadata.setDeferredSteps(evolution.deferredSteps)
    do {
      try dropUnbuilt(evolution, connection)
      try WordTables.drop(before: evolution, connection) { log($0) }
      func session(_ schema: SQLSchema) throws -> PostgreSQLEvolutionSession {
        PostgreSQLEvolutionSession(self, try PreparedSchema(schema), connection)
      }
      try evolution.run(
        session(evolution.destination), reading: session(evolution.source),
        verify: description.evolution.verify, reporter)
      try views.resume(evolution.destination, self, connection)
    } catch let error as PostgreSQLError where error.isUniquenessViolation {
      throw evolution.destination.uniquenessError(error) { name, _ in error.constraint == name }
    }
    let format = opened.format.next
    var commands = try namespace.writingNames(of: evolution)
    commands += try notingIndexes(
      evolution.destination, except: metadata.deferredIndexes, namespace)
    commands.append(try namespace.writingMetadata(metadata))
    commands.append(namespace.writing(format))
    if metadata.keepsModel == true {
      commands += try namespace.writingModelText(
        of: evolution.change.destination, checksum: metadata.versionChecksum)
    }
    commands.append(.once("SELECT json FROM \(namespace.metadataTable)"))
    let results = try connection.run(commands).get()
    try cancellation.check()
    try commit.run(connection, refusal: "The server rolled the migration back.")
    let opened = OpenedState(
      text: try PostgreSQLNamespace.metadataText(results[results.count - 1]), format: format)
    return (opened, metadata)
  }
}
