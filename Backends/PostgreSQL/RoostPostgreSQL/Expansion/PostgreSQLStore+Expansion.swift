// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

// The second version is recorded beside the first before any other change, and marked incomplete. So the next program
// that opens the store knows of an interrupted expansion and resumes it: every step can be repeated. No program uses
// the second version before it is complete.
extension PostgreSQLStore: StoreExpansion {
  package var expansion: (any StoreExpansion)? { self }

  package var secondVersion: SecondVersion? {
    second.map { record in
      var metadata = record.metadata
      metadata.userValues = self.metadata.userValues
      return SecondVersion(metadata: metadata, isComplete: record.isComplete)
    }
  }

  package func adoptSecondVersion() throws {
    guard let second, second.isComplete, oldVersion == nil else { return }
    try translating {
      // A program registers its session first and reads the number afterwards, so that it notices a concurrent
      // abandonment.
      let marks = try VersionSessions(store: self).enter()
      guard marks.count == 1, opened.accepts(marks.integer(0, 0)), let mark = marks.text(0, 1),
        let number = Int64(mark), number == second.number
      else { throw StoreFormat.migratedElsewhere }
      setAdopted(second, number: number)
    }
  }

  package func expansionSteps(of change: SchemaChange) throws -> [MigrationPlan.Step] {
    try translating {
      try withReading { connection in
        let reading = try StoreReading.beginSnapshot(connection)
        defer { try? connection.rollBack() }
        let expansion = try expansion(
          change, reading, try connection.namespace.secondVersion(connection, reading))
        let steps = try expansion.steps()
        let session = PostgreSQLEvolutionSession(
          self, try PreparedSchema(expansion.evolution.destination), connection)
        return try steps.map { try planned($0, expansion, session, reading) }
      }
    }
  }

  package func expand(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool {
    try translating {
      guard !isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      guard let expansion = try begin(change, metadata) else { return false }
      let run = ExpansionRun(
        store: self, expansion: expansion, checksum: metadata.versionChecksum, reporter: reporter)
      try run.all()
      return true
    }
  }

  // MARK: - Planning

  /// Returns the expansion that relates the two versions.
  ///
  /// - Parameter second: The store's record of the second version; nil to plan it anew.
  func expansion(
    _ change: SchemaChange, _ reading: StoreReading, _ second: SecondVersionRecord?
  ) throws -> SQLExpansion {
    var dialect = SQLDialect.postgreSQL
    dialect.namespace = pool.settings.namespace.prefix
    let evolution = try SQLEvolution(
      beside: change, names: SQLNames(reading.names, lengthLimit: dialect.identifierLimit),
      second: second.map { SQLNames($0.names, lengthLimit: dialect.identifierLimit) },
      catalog: reading.catalog, dialect: dialect)
    try Self.checkLimits(evolution.destination)
    return SQLExpansion(evolution) { $0.definition }
  }

  private func planned(
    _ step: ExpansionStep, _ expansion: SQLExpansion, _ session: PostgreSQLEvolutionSession,
    _ reading: StoreReading
  ) throws -> MigrationPlan.Step {
    for check in step.checks {
      try expansion.evolution.refuse(
        check.text, try session.keys(check.query), entity: check.entity, key: check.key)
    }
    let table: SQLTable
    switch step.action {
    case .define: return step.planned(rows: 0)
    case .fill(let fill):
      guard
        let found = expansion.evolution.source.tables.first(where: { $0.reference == fill.table })
      else { return step.planned(rows: 0) }
      table = found
    case .index(let index):
      let columns = reading.catalog.columnsByTable[index.table.name] ?? [:]
      if let constraint = index.constraint,
        constraint.index.columns.allSatisfy({ columns[$0] != nil })
      {
        try expansion.evolution.refuseDuplicates(constraint, index.table, session)
      }
      table = index.table
    }
    // The server's estimate: a plan does not count large tables.
    let rows = try session.read(
      "SELECT CAST(greatest(reltuples, 0) AS bigint) FROM pg_catalog.pg_class"
        + " WHERE oid = \(pool.settings.namespace.identity(of: table.reference))", [])
    guard case .integer(let count)? = rows.first?.first else { return step.planned(rows: 0) }
    return step.planned(rows: Int(count))
  }

  // MARK: - The record of the second version

  /// Records the second version, or finds the record of an interrupted expansion.
  ///
  /// - Returns: nil when the store was changed since.
  private func begin(
    _ change: SchemaChange, _ metadata: StoreMetadata
  ) throws -> SQLExpansion? {
    try withConnection { connection in
      do {
        return try LockRetry(store: self).run(connection) {
          try note(change, metadata, $0, connection)
        }
      } catch {
        try? connection.rollBack()
        throw error
      }
    }
  }

  private func note(
    _ change: SchemaChange, _ metadata: StoreMetadata, _ wait: Int,
    _ connection: PostgreSQLConnection
  ) throws -> SQLExpansion? {
    let namespace = connection.namespace
    try beginStep(wait, connection)
    let row = try connection.run(
      .once("SELECT json, \(PostgreSQLNamespace.format) FROM \(namespace.metadataTable) FOR UPDATE")
    )
    let current = try PostgreSQLNamespace.metadata(in: PostgreSQLNamespace.metadataText(row))
    guard row.integer(0, 1) == opened.format.number,
      current.entityVersionHashes == change.metadata.entityVersionHashes,
      current.entityCodes == change.metadata.entityCodes
    else {
      try connection.rollBack()
      return nil
    }
    let reading = try StoreReading(connection.run(StoreReading.commands(connection)))
    if let second = try namespace.secondVersion(connection, reading) {
      try connection.rollBack()
      guard second.metadata.versionChecksum == metadata.versionChecksum, !second.isComplete else {
        return nil
      }
      return try expansion(change, reading, second)
    }
    let expansion = try expansion(change, reading, nil)
    // Changes that cannot be expanded are refused here, before anything is written.
    _ = try expansion.steps()
    let record = SecondVersionRecord(
      metadata: metadata, names: expansion.evolution.names.identifiers, isComplete: false)
    var commands = [
      PostgreSQLCommand.once(namespace.versionsDefinition),
      .once(namespace.newSessionsDefinition),
      .once(namespace.sessionsDefinition),
      .once(
        "ALTER TABLE \(namespace.metadataTable) ADD COLUMN IF NOT EXISTS second bigint"),
      .once(
        "UPDATE \(namespace.metadataTable) SET second = \(Int64.random(in: 1...Int64.max))"),
      try namespace.writing(record, modelText: change.destination.modelText()),
    ]
    let reserved = expansion.reservedNames
    if !reserved.isEmpty {
      commands.append(
        try PostgreSQLCommand(
          "INSERT INTO \(namespace.namesTable) (path, identifier) SELECT * FROM unnest($1, $2)"
            + " ON CONFLICT DO NOTHING",
          [
            .list(SQLList(reserved.map { .text($0.path) })),
            .list(SQLList(reserved.map { .text($0.identifier) })),
          ], isKept: false))
    }
    for command in commands { log(command.text) }
    _ = try connection.committing { try $0.run(commands + [.commit]) }.get()
    return expansion
  }

  /// Begins a transaction that changes definitions.
  ///
  /// - Throws: `OtherMigrator` when another program does so.
  func beginStep(_ wait: Int, _ connection: PostgreSQLConnection) throws {
    let results = try connection.run([
      .begin, .once("SET LOCAL lock_timeout = \(wait)"),
      try connection.namespace.tryingMakingLock(),
    ]).get()
    guard results[2].isTrue() else { throw OtherMigrator() }
  }
}
