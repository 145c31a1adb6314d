// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

// The old version ends in one short transaction: what only it had is dropped, the second version's metadata and names
// become the store's, and the format number of the store grows. A program that has the old version open finds another
// number with its next save, or a missing column or table with its next request.
extension PostgreSQLStore {
  package func contractionSteps(of change: SchemaChange) throws -> [MigrationPlan.Step] {
    try translating {
      try withReading { connection in
        let reading = try StoreReading.beginSnapshot(connection)
        defer { try? connection.rollBack() }
        // Another expansion may have replaced the second version since. The contraction finds that out.
        guard let second = try connection.namespace.secondVersion(connection, reading),
          second.number == self.second?.number
        else { return [] }
        let evolution = try contraction(change, reading, second, counts: true)
        let session = PostgreSQLEvolutionSession(
          self, try PreparedSchema(evolution.destination), connection)
        return try evolution.steps(session).map { step in
          var step = step
          step.lock = .readersAndWritersWait
          return step
        }
      }
    }
  }

  package func contract(
    _ change: SchemaChange, ignoringSessions: Bool, reporter: MigrationReporter
  ) throws -> Bool {
    // So that this session does not count as one of the old version.
    try adoptSecondVersion()
    return try translating {
      guard !isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store was opened for reading only.")
      }
      return try MigrationCommit.awaiting(in: self) { commit in
        try withConnection { connection in
          do {
            if !ignoringSessions { try VersionSessions(store: self).waitForOld(connection) }
            var leftovers: [ExpansionStep.Fill] = []
            let isDone = try LockRetry(store: self).run(connection) { wait in
              leftovers = []
              return try contract(
                change, ignoringSessions, reporter, wait, connection, &leftovers, &commit)
            }
            if isDone { FilledRanges.clear(leftovers, of: self, connection) }
            return isDone
          } catch {
            try? connection.rollBack()
            throw error
          }
        }
      }
    }
  }

  private func contraction(
    _ change: SchemaChange, _ reading: StoreReading, _ second: SecondVersionRecord,
    counts: Bool
  ) throws -> SQLEvolution {
    try expansion(change, reading, second)
      .contraction(droppingFrom: reading.catalog.definitionsByIndex.keys, counts: counts)
  }

  private func contract(
    _ change: SchemaChange, _ ignoringSessions: Bool, _ reporter: MigrationReporter, _ wait: Int,
    _ connection: PostgreSQLConnection, _ leftovers: inout [ExpansionStep.Fill],
    _ commit: inout MigrationCommit
  ) throws -> Bool {
    let namespace = connection.namespace
    try beginStep(wait, connection)
    let row = try connection.run(
      .once("SELECT json, \(PostgreSQLNamespace.format) FROM \(namespace.metadataTable) FOR UPDATE")
    )
    let old = try PostgreSQLNamespace.metadata(in: PostgreSQLNamespace.metadataText(row))
    let reading = try StoreReading(connection.run(StoreReading.commands(connection)))
    guard row.integer(0, 1) == opened.format.number,
      let second = try namespace.secondVersion(connection, reading), second.isComplete,
      // The change leads to the version that was there at the opening. Another one may have taken its place since.
      second.number == self.second?.number
    else {
      try connection.rollBack()
      return false
    }
    commit.begin()
    if !ignoringSessions { try VersionSessions(store: self).refuseOld(connection) }
    var evolution = try contraction(change, reading, second, counts: false)
    leftovers = evolution.takeRangedWrites()
    let views = try SuspendedViews(self, connection, waiting: wait)
    let tables = Set(evolution.source.tables.map(\.reference))
      .union(evolution.source.linkTables.map(\.reference)).sorted()
    if !tables.isEmpty {
      try connection.run(
        .once("LOCK TABLE \(tables.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE"))
    }
    _ = try connection.run(namespace.droppingFunctions(connection)).get()
    try WordTables.drop(before: evolution, connection) { log($0) }
    // No record is written, so nothing is verified.
    try evolution.run(
      PostgreSQLEvolutionSession(self, try PreparedSchema(evolution.destination), connection),
      reading: PostgreSQLEvolutionSession(
        self, try PreparedSchema(evolution.source), connection), verify: .off, reporter)
    try views.resume(evolution.destination, self, connection)
    try finish(evolution, old, second, connection, &commit)
    return true
  }

  /// Makes the second version the store's, and ends the transaction.
  private func finish(
    _ evolution: SQLEvolution, _ old: StoreMetadata, _ second: SecondVersionRecord,
    _ connection: PostgreSQLConnection, _ commit: inout MigrationCommit
  ) throws {
    let namespace = connection.namespace
    var metadata = second.metadata
    metadata.userValues = old.userValues
    let names = second.names.sorted { $0.key < $1.key }
    var commands: [PostgreSQLCommand] = [
      .once("DELETE FROM \(namespace.namesTable)"),
      try PostgreSQLCommand(
        "INSERT INTO \(namespace.namesTable) (path, identifier) SELECT * FROM unnest($1, $2)",
        [
          .list(SQLList(names.map { .text($0.key) })),
          .list(SQLList(names.map { .text($0.value) })),
        ], isKept: false),
      .once("DELETE FROM \(namespace.modelsTable)"),
      .once(namespace.modelsDefinition),
      try PostgreSQLCommand(
        "INSERT INTO \(namespace.modelsTable) (checksum, text) SELECT $1, model"
          + " FROM \(namespace.versionsTable)", [.text(metadata.versionChecksum)], isKept: false),
    ]
    commands += try notingIndexes(
      evolution.destination, except: metadata.deferredIndexes, namespace)
    commands += [
      try namespace.writingMetadata(metadata),
      namespace.writing(opened.format.next),
      .once("DROP TABLE \(namespace.versionsTable)"),
      .once("DROP TABLE IF EXISTS \(namespace.newSessionsTable)"),
    ]
    _ = try connection.run(commands).get()
    try cancellation.check()
    try commit.run(connection, refusal: "The server rolled the contraction back.")
  }
}
